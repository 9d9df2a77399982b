/**
 * What DWARF is read from: the contents of sections, decompressed, and undefined where the file has no
 * such section. An interface of its own, so that nothing here hangs on where the bytes come from.
 */
export interface DebugSections {
  readonly debugInfo: Uint8Array | undefined;
  readonly debugAbbrev: Uint8Array | undefined;
  readonly debugLine: Uint8Array | undefined;
  readonly debugLineStr: Uint8Array | undefined;
  readonly debugStr: Uint8Array | undefined;
  readonly debugStrOffsets: Uint8Array | undefined;
  readonly debugAddr: Uint8Array | undefined;
  readonly debugRanges: Uint8Array | undefined;
  readonly debugRnglists: Uint8Array | undefined;
}

/** The names that they have in a file. */
export const SECTION_NAMES: { readonly [key in keyof DebugSections]: string } = {
  debugInfo: '.debug_info',
  debugAbbrev: '.debug_abbrev',
  debugLine: '.debug_line',
  debugLineStr: '.debug_line_str',
  debugStr: '.debug_str',
  debugStrOffsets: '.debug_str_offsets',
  debugAddr: '.debug_addr',
  debugRanges: '.debug_ranges',
  debugRnglists: '.debug_rnglists',
};

/** Of an `ElfFile`, or of anything else that gives the content of a section by its name. */
export function debugSections(file: {
  content(name: string): Uint8Array | undefined;
}): DebugSections {
  const content = Object.entries(SECTION_NAMES).map(([key, name]) => [key, file.content(name)]);
  return Object.fromEntries(content) as unknown as DebugSections;
}
