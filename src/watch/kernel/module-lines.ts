/**
 * Source lines of kernel modules, from their files: a place in a running module is known by its function and how far
 * it is from where that begins, wherever the kernel has put it.
 *
 *   framesAt('rw_race_racy', { name: 'write_value', size: 0x2c }, 0x12)     write_value  racy.c:31
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { DebugInfo } from '../../binary/dwarf/debug-info.ts';
import { debugSections } from '../../binary/dwarf/sections.ts';
import { ObjectFile, type PlacedFunction } from '../../binary/elf/object-file.ts';
import { imageAddress } from '../../binary/image-address.ts';
import type { Site } from '../../report/model.ts';

/** As the kernel calls what was in this file. */
export const moduleNameOf = (file: string): string => basename(file, '.ko').replaceAll('-', '_');

interface ModuleFile {
  readonly info: DebugInfo;
  readonly functions: readonly PlacedFunction[];
}

export class ModuleLines {
  readonly #paths: ReadonlyMap<string, string>;
  readonly #files = new Map<string, ModuleFile | undefined>();

  constructor(paths: readonly string[]) {
    this.#paths = new Map(paths.map((path) => [moduleNameOf(path), path]));
  }

  /** The innermost first, then those that it was inlined into; empty if nothing is known. */
  framesAt(
    module: string,
    { name, size }: { readonly name: string; readonly size: number },
    offset: number,
  ): Pick<Site, 'function' | 'file' | 'line'>[] {
    const file = this.#file(module);
    if (file === undefined) return [];
    const named = file.functions.filter((one) => one.name === name);
    // Two files of a module may have a function of their own with the same name.
    const found = named.length > 1 ? named.filter((one) => one.size === size) : named;
    const [only, another] = found;
    if (only === undefined || another !== undefined) return [];
    return file.info.framesAt(imageAddress(only.address + offset)).map((frame) => ({
      ...(frame.function !== undefined && { function: frame.function }),
      ...(frame.file !== undefined && { file: frame.file }),
      ...(frame.line !== undefined && frame.line > 0 && { line: frame.line }),
    }));
  }

  #file(module: string): ModuleFile | undefined {
    const path = this.#paths.get(module);
    if (path === undefined) return undefined;
    if (!this.#files.has(module)) {
      const read = tryTo(() => readModule(path));
      this.#files.set(module, read.ok ? read.value : undefined);
    }
    return this.#files.get(module);
  }
}

function readModule(path: string): ModuleFile {
  const object = new ObjectFile(readFileSync(encodeBytes(path)));
  return { info: new DebugInfo(debugSections(object)), functions: object.functions() };
}
