/**
 * The code that a process has mapped, as its files tell: which functions there are, and where. What may be
 * sampled is that of the executable, and of the libraries that the user names.
 *
 *   functions()              main 0x555555555149…, worker 0x5555555551a0…
 *   functionAt(0x7ffff7e…)   malloc of libc.so.6: known, but not sampled
 */
import { basename } from 'node:path';
import { imageAddress } from '../../binary/image-address.ts';
import { ImageFiles, type LoadedImage, LoadedImages } from '../../debugger/loaded-images.ts';
import { sitesAt } from '../../debugger/stack-trace.ts';
import type { Pid } from '../../linux/ids.ts';
import { runningProgram } from '../../linux/running-process.ts';
import type { Site } from '../../report/model.ts';
import { codeFunction } from '../code-function.ts';
import type { CodeFunction } from '../debug-target.ts';

export class CodeMap {
  readonly #process: Pid;
  readonly #also: readonly string[];
  /** Those of them that no file was, until now. */
  readonly #missing: Set<string>;
  #files: ImageFiles;
  #images: LoadedImages;
  #functions: readonly CodeFunction[] | undefined;

  /** `also`: paths without symbolic links, or names as in `libz.so`. */
  constructor(process: Pid, also: readonly string[]) {
    this.#process = process;
    this.#also = also;
    this.#missing = new Set(also);
    this.#files = this.#newFiles();
    this.#images = new LoadedImages(process, this.#files);
  }

  get images(): LoadedImages {
    return this.#images;
  }

  /** Code has come or gone; true if that makes a difference for what may be sampled. */
  refresh(): boolean {
    const before = this.#sampledKey();
    this.#images = new LoadedImages(this.#process, this.#files);
    this.#functions = undefined;
    return this.#sampledKey() !== before;
  }

  /** Another program runs in the process. */
  startAnew(): void {
    this.#files = this.#newFiles();
    this.refresh();
  }

  functions(): readonly CodeFunction[] {
    this.#functions ??= this.#sampled().flatMap((loaded) =>
      loaded.image.functions.map((one) => codeFunction(loaded, one)),
    );
    return this.#functions;
  }

  functionAt(address: bigint): CodeFunction | undefined {
    const loaded = this.#images.at(address);
    const found = loaded?.image.functionAt(Number(address - loaded.bias));
    return loaded && found && codeFunction(loaded, found);
  }

  /** Whether it is code of the program itself, which never goes. */
  isExecutable(address: bigint): boolean {
    return this.#images.at(address)?.image.path === runningProgram(this.#process).path;
  }

  /** As the file has them; undefined if no file has anything there. */
  bytesAt(address: bigint, size: number): Uint8Array | undefined {
    const loaded = this.#images.at(address);
    const place = loaded && imageAddress(Number(address - loaded.bias));
    if (loaded === undefined || place === undefined) return undefined;
    return loaded.image.elf.imageBytesFrom(place)?.subarray(0, size);
  }

  sitesAt(address: bigint): Site[] {
    const loaded = this.#images.at(address);
    if (loaded === undefined) return [{ address: `0x${address.toString(16)}` }];
    return sitesAt(loaded.image, Number(address - loaded.bias));
  }

  #sampled(): LoadedImage[] {
    const executable = runningProgram(this.#process).path;
    return this.#images
      .all()
      .filter(({ image: { path } }) => path === executable || this.#isAlso(path));
  }

  /** Libraries that the user has named, and that were never loaded. */
  get missing(): readonly string[] {
    return [...this.#missing];
  }

  #isAlso(path: string): boolean {
    const name = basename(path);
    const found = this.#also.filter(
      (wanted) => wanted === path || wanted === name || name.startsWith(`${wanted}.`),
    );
    for (const wanted of found) this.#missing.delete(wanted);
    return found.length > 0;
  }

  #sampledKey(): string {
    return this.#sampled()
      .map(({ image, bias }) => `${image.path} ${bias}`)
      .join('\n');
  }

  #newFiles(): ImageFiles {
    const executable = runningProgram(this.#process).path;
    return new ImageFiles((path) => path === executable || this.#isAlso(path));
  }
}
