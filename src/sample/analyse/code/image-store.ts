/**
 * The files of the images that were sampled, one for each build-id: places of different builds are never taken
 * for each other. A file counts only if it has the build-id that the process said; where another one lies at its
 * path by now, or the analysis is made on another machine, `symbols` are folders that may have it.
 *
 * Without a build-id nobody can tell. A file that was written after the run began is surely another one; one that is
 * older is taken for it, with a warning, and never for that of another run.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { decodeBytes, encodeBytes } from '../../../base/bytes.ts';
import { tryTo } from '../../../base/result.ts';
import { readBuildId } from '../../../binary/elf/build-id.ts';
import { parseElf } from '../../../binary/elf/elf-file.ts';
import { SampledImage } from './sampled-image.ts';

export interface ImageName {
  readonly path: string;
  /** Empty if it has none. */
  readonly buildId: string;
}

/** One that could not be read has no code. */
export interface StoredImage extends ImageName {
  readonly number: number;
  readonly image: SampledImage | undefined;
}

/** In which it was loaded. */
export interface ImageRun {
  readonly folder: string;
  /** In milliseconds. */
  readonly startedAt: number;
}

export class ImageStore {
  readonly #symbols: readonly string[];
  readonly #byName = new Map<string, StoredImage>();
  readonly images: StoredImage[] = [];
  readonly warnings: string[] = [];

  constructor(symbols: readonly string[]) {
    this.#symbols = symbols;
  }

  find(name: ImageName, run: ImageRun): StoredImage {
    const key = name.buildId === '' ? `${run.folder} ${name.path}` : name.buildId;
    const known = this.#byName.get(key);
    if (known) return known;
    const stored = { ...name, number: this.images.length, image: this.#read(name, run) };
    this.images.push(stored);
    this.#byName.set(key, stored);
    return stored;
  }

  #read({ path, buildId }: ImageName, run: ImageRun): SampledImage | undefined {
    const reasons: string[] = [];
    for (const candidate of this.#candidates(path)) {
      const read = tryTo(() => parseElf(readFileSync(encodeBytes(candidate))));
      if (!read.ok) {
        reasons.push(`${candidate} cannot be read`);
        continue;
      }
      const found = tryTo(() => readBuildId(read.value) ?? '');
      const id = found.ok ? found.value : '';
      if (id === buildId && id === '' && isNewer(candidate, run)) {
        reasons.push(`${candidate} has no build-id, and was written after the run began`);
        continue;
      }
      if (id === buildId) {
        if (id === '') this.#warnOfNoId(candidate);
        return new SampledImage(candidate, buildId, read.value);
      }
      reasons.push(`${candidate} has the build-id ${id || '(none)'}`);
    }
    // What the kernel puts into every process is in no file.
    if (path !== '' && !/vdso/.test(path)) {
      const wanted = buildId === '' ? path : `${basename(path)} with the build-id ${buildId}`;
      this.warnings.push(
        `samples in ${path} are left out: ${reasons.join(', ')}; name a folder that has ${wanted} with --symbols`,
      );
    }
    return undefined;
  }

  #warnOfNoId(path: string): void {
    const text = `${path} has no build-id, so that nobody can tell whether it is what was sampled; link it with -Wl,--build-id`;
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  #candidates(path: string): string[] {
    const name = decodeBytes(encodeBytes(basename(path)));
    return [path, ...this.#symbols.flatMap((folder) => [join(folder, path), join(folder, name)])];
  }
}

const isNewer = (path: string, { startedAt }: ImageRun): boolean =>
  statSync(encodeBytes(path)).mtimeMs > startedAt;
