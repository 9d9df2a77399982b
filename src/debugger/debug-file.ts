/** Where an image has its debug information: in itself, or in a file of its own. */
import { readFileSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { asDebugFile, debugFileCandidates, debugFileWanted } from '../binary/elf/debug-files.ts';
import type { ElfFile } from '../binary/elf/elf-file.ts';

export interface FoundDebugFile {
  /** The image itself if it has debug information, or if nobody has. */
  readonly elf: ElfFile;
  /** The files that were looked for: if one of them comes, goes or changes, another may be found. */
  readonly lookedFor: readonly string[];
}

/** `path`: without symbolic links. */
export function findDebugFile(path: string, image: ElfFile): FoundDebugFile {
  if (image.section('.debug_info') !== undefined) return { elf: image, lookedFor: [] };
  const wanted = tryTo(() => debugFileWanted(image));
  if (!wanted.ok) return { elf: image, lookedFor: [] };
  const lookedFor = debugFileCandidates(path, wanted.value);
  for (const candidate of lookedFor) {
    const bytes = tryTo(() => readFileSync(encodeBytes(candidate)));
    const found = bytes.ok ? asDebugFile(bytes.value, wanted.value) : undefined;
    if (found?.ok) return { elf: found.value, lookedFor };
  }
  return { elf: image, lookedFor };
}
