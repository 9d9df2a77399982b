/** What the places of an image are called, from its own file and its debug information, wherever that is. */
import { tryTo } from '../base/result.ts';
import { DebugInfo } from '../binary/dwarf/debug-info.ts';
import { debugSections } from '../binary/dwarf/sections.ts';
import { SegmentType } from '../binary/elf/constants.ts';
import type { ElfFile } from '../binary/elf/elf-file.ts';
import { functionIndex, type NamedPlace, variableIndex } from '../binary/elf/symbol-index.ts';
import type { ImageAddress } from '../binary/image-address.ts';
import { findDebugFile } from './debug-file.ts';

/** What is not known is '' or 0. */
export interface NamedCode {
  readonly function: string;
  readonly file: string;
  readonly line: number;
}

export interface ImageNames {
  readonly imageEnd: number;
  /** The innermost function. */
  placeAt(address: ImageAddress): NamedCode;
  /** The same, and those that it was inlined into; at least one. */
  framesAt(address: ImageAddress): readonly NamedCode[];
  dataAt(address: ImageAddress): string;
  /** By the type of the variable there. */
  isAtomic(address: ImageAddress): boolean;
}

/** `path`: without symbolic links. */
export const namesOf = (path: string, elf: ElfFile): ImageNames =>
  namesIn(elf, findDebugFile(path, elf).elf);

/** `withDebug`: the file that has the debug information, or the image itself. */
export function namesIn(elf: ElfFile, withDebug: ElfFile): ImageNames {
  const info = tryTo(() => new DebugInfo(debugSections(withDebug)));
  // Names of functions that a stripped program lacks are in its debug file.
  const find = (
    index: (elf: ElfFile) => { find(address: ImageAddress): NamedPlace | undefined },
  ) => {
    const indexes = [withDebug, elf].flatMap((file) => {
      const made = tryTo(() => index(file));
      return made.ok ? [made.value] : [];
    });
    return (address: ImageAddress): NamedPlace | undefined => {
      for (const one of indexes) {
        const found = tryTo(() => one.find(address));
        if (found.ok && found.value) return found.value;
      }
      return undefined;
    };
  };
  const [functionAt, variableAt] = [find(functionIndex), find(variableIndex)];
  const framesAt = (address: ImageAddress): NamedCode[] => {
    const frames = info.ok ? info.value.framesAt(address) : [];
    const known = frames.length > 0 ? frames : [undefined];
    return known.map((frame) => ({
      function: frame?.function ?? functionAt(address)?.name ?? '',
      file: frame?.file ?? '',
      line: frame?.line ?? 0,
    }));
  };
  const loaded = elf.segments.filter(({ type }) => type === SegmentType.load);
  return {
    imageEnd: Math.max(0, ...loaded.map(({ address, size }) => address + size)),
    placeAt: (address) => framesAt(address)[0]!,
    framesAt,
    dataAt(address) {
      const place = info.ok ? info.value.dataAt(address) : undefined;
      return place?.text ?? named(variableAt(address));
    },
    isAtomic: (address) => info.ok && info.value.dataAt(address)?.isAtomic === true,
  };
}

/** `counters`, or `counters+16` behind its start. */
function named(place: NamedPlace | undefined): string {
  if (!place) return '';
  return place.offset === 0 ? place.name : `${place.name}+${place.offset}`;
}
