/** Numbers of <elf.h>, and of the x86-64 psABI where that says so. */

/** `e_type`. */
export const FileType = { object: 1, executable: 2, shared: 3, core: 4 } as const;

/** `e_machine`: x86-64, and those that a file is most likely to be for instead. */
export const X86_64 = 62;
export const MACHINES: ReadonlyMap<number, string> = new Map([
  [2, 'SPARC'],
  [3, 'i386'],
  [8, 'MIPS'],
  [20, 'PowerPC'],
  [21, '64-bit PowerPC'],
  [22, 's390'],
  [40, 'ARM'],
  [43, '64-bit SPARC'],
  [X86_64, 'x86-64'],
  [183, 'AArch64'],
  [243, 'RISC-V'],
  [247, 'BPF'],
  [258, 'LoongArch'],
]);

/** `p_type`. */
export const SegmentType = {
  load: 1,
  dynamic: 2,
  interpreter: 3,
  note: 4,
  ehFrameHeader: 0x6474_e550,
} as const;

/** `p_flags`. */
export const SegmentFlag = { execute: 1, write: 2, read: 4 } as const;

/** `sh_type`. */
export const SectionType = {
  symbols: 2,
  strings: 3,
  relocations: 4,
  note: 7,
  /** Takes room in memory, none in the file. */
  noBits: 8,
  dynamicSymbols: 11,
} as const;

/** `sh_flags`. */
export const SectionFlag = { write: 1, alloc: 2, execute: 4, compressed: 0x800 } as const;

/** `st_shndx`: defined elsewhere; not an address. */
export const UNDEFINED_SECTION = 0;
export const ABSOLUTE_SECTION = 0xfff1;
/** `e_shstrndx` and `e_phnum`: the true number is in section header 0. */
export const IN_FIRST_SECTION = 0xffff;

/** `ELF64_ST_TYPE`. */
export const SymbolType = {
  none: 0,
  object: 1,
  function: 2,
  threadLocal: 6,
  /** A function that chooses the function at load time. */
  indirectFunction: 10,
} as const;

/** `ELF64_ST_BIND`. */
export const Binding = { local: 0, global: 1, weak: 2 } as const;

/** `d_tag`. */
export const DynamicTag = {
  end: 0,
  needed: 1,
  pltRelocationsSize: 2,
  hash: 4,
  strings: 5,
  symbols: 6,
  relocations: 7,
  relocationsSize: 8,
  stringsSize: 10,
  soname: 14,
  pltRelocations: 23,
  relativeSize: 35,
  relative: 36,
  gnuHash: 0x6fff_fef5,
  flags1: 0x6fff_fffb,
} as const;

/** `DF_1_PIE`, of `DT_FLAGS_1`: a program, although its type is that of shared libraries. */
export const IS_PIE = 0x0800_0000;

/** `R_X86_64_*`, psABI table 4.9. */
export const RelocationType = {
  absolute64: 1,
  copy: 5,
  globalData: 6,
  jumpSlot: 7,
  relative: 8,
  indirectRelative: 37,
} as const;

/** The same, of those that object files have in their debug information. */
export const ObjectRelocation = { absolute64: 1, absolute32: 10, signed32: 11 } as const;

/** `NT_GNU_BUILD_ID`. */
export const BUILD_ID_NOTE = 3;

/** `ch_type`. */
export const Compression = { zlib: 1, zstd: 2 } as const;
