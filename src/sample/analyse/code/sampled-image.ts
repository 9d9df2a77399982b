/**
 * An executable or library that samples are in, by its build-id: the same in all processes and runs, wherever
 * it was loaded.
 */
import { tryTo } from '../../../base/result.ts';
import type { ElfFile } from '../../../binary/elf/elf-file.ts';
import { functionIndex } from '../../../binary/elf/symbol-index.ts';
import { imageAddress } from '../../../binary/image-address.ts';
import { constantData } from '../../../binary/rewrite/constant-data.ts';
import { knownEntries } from '../../../binary/rewrite/known-entries.ts';
import { type Fde, readEhFrame } from '../../../binary/unwind/eh-frame.ts';
import { readExceptTable } from '../../../binary/unwind/except-table.ts';
import type { ImageNames } from '../../../debugger/image-names.ts';
import { CodeImage } from '../../../debugger/loaded-images.ts';
import type { PlannedAccess } from './extension-plan.ts';
import { farJumpTargets } from './jump-targets.ts';
import { hasOwnLocks, worksOnGivenMemory } from './own-locks.ts';
import { functionCode, type ImageJumps, SampledFunction } from './sampled-function.ts';

/** A larger one is rather a mistake of somebody's symbols. */
const LARGEST_FUNCTION = 1 << 20;

export class SampledImage {
  readonly path: string;
  readonly buildId: string;
  readonly #elf: ElfFile;
  readonly #image: CodeImage;
  readonly #hasOwnLocks: boolean;
  readonly #functions = new Map<number, SampledFunction | undefined>();
  #jumps: ImageJumps | undefined;
  #fdes: readonly Fde[] | undefined;
  /** By where functions start: where it says how they catch exceptions. */
  #handlers: Map<number, Fde['lsda']> | undefined;

  constructor(path: string, buildId: string, elf: ElfFile) {
    this.path = path;
    this.buildId = buildId;
    this.#elf = elf;
    this.#hasOwnLocks = hasOwnLocks(path);
    this.#image = new CodeImage(path, elf, !this.#hasOwnLocks);
  }

  get names(): ImageNames {
    return this.#image.names;
  }

  /** Its data is guarded by locks that nobody can see. */
  get hasOwnLocks(): boolean {
    return this.#hasOwnLocks;
  }

  hasFunction(names: readonly string[]): boolean {
    for (const { name } of functionIndex(this.#elf)) if (names.includes(name)) return true;
    return false;
  }

  /** What a sample tells that stands at this address of the image; empty where nobody can say. */
  planAt(address: number): PlannedAccess[] {
    return this.functionAt(address)?.planAt(address) ?? [];
  }

  /** undefined if it is not known, or its locks are not. */
  functionAt(address: number): SampledFunction | undefined {
    const found = this.#image.functionAt(address);
    if (found === undefined) return undefined;
    const { start, end, name } = found;
    if (this.#functions.has(start)) return this.#functions.get(start);
    const made = this.#functionOf(name, start, end);
    this.#functions.set(start, made);
    return made;
  }

  #functionOf(name: string, start: number, end: number): SampledFunction | undefined {
    if (end - start > LARGEST_FUNCTION) return undefined;
    const bytes = this.#elf.findImageBytes(imageAddress(start), end - start);
    const code = bytes && functionCode(name, start, bytes, this.#landingPads(start));
    if (code === undefined) return undefined;
    if (this.#hasOwnLocks && !worksOnGivenMemory(code)) return undefined;
    this.#jumps ??= this.#readJumps();
    return new SampledFunction(code, this.#jumps);
  }

  #landingPads(start: number): readonly number[] {
    this.#handlers ??= new Map(this.#readFdes().map((fde) => [Number(fde.start), fde.lsda]));
    const lsda = this.#handlers.get(start);
    if (lsda === undefined) return [];
    const table = tryTo(() => readExceptTable(this.#elf, lsda, imageAddress(start)));
    return table.ok ? table.value.callSites.flatMap(({ landingPad }) => landingPad ?? []) : [];
  }

  #readFdes(): readonly Fde[] {
    if (this.#fdes === undefined) {
      const read = tryTo(() => readEhFrame(this.#elf).fdes);
      this.#fdes = read.ok ? read.value : [];
    }
    return this.#fdes;
  }

  #readJumps(): ImageJumps {
    const entries = tryTo(() => knownEntries(this.#elf, this.#readFdes()));
    return {
      far: farJumpTargets(this.#elf),
      constants: constantData(this.#elf),
      entries: entries.ok ? entries.value : new Set(),
    };
  }
}
