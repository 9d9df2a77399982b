/**
 * Appends chunks to a new trace file, whatever they hold. After a failure, such as a full disk, the file
 * ends after its last whole chunk, and the same error is thrown again by all that follows: what would
 * come next may refer to what is not in the file, such as the number that a difference counts from.
 */
import { ChunkType, encodeChunk, encodeFileHeader } from './chunk.ts';
import type { TraceFamily } from './family.ts';
import type { WriteSync } from './output-file.ts';
import { OutputFile } from './output-file.ts';
import type { TraceTotals } from './totals.ts';
import { encodeTotals } from './totals.ts';

export interface ChunkContents {
  readonly contents: Buffer;
  /** Of what is inside: strings, records, rows. */
  readonly count: number;
}

export class ChunkWriter {
  readonly #file: OutputFile;
  #chunks = 0;
  #failure: unknown;

  constructor(path: string, family: TraceFamily, write?: WriteSync) {
    this.#file = new OutputFile(path, write);
    this.guarded(() => this.#file.append(encodeFileHeader(family)));
  }

  append(type: number, { contents, count }: ChunkContents): void {
    this.guarded(() => this.#file.append(encodeChunk(type, ++this.#chunks, count, contents)));
  }

  /** Runs what must not be tried again if it fails. */
  guarded(act: () => void): void {
    this.throwFailure();
    try {
      act();
    } catch (error) {
      throw this.failed(error);
    }
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  failed(error: unknown): unknown {
    this.#failure = error;
    return error;
  }

  /** `finish` writes what is left and says what was written; the file is closed in any case. */
  close(finish: () => TraceTotals): void {
    try {
      const contents = encodeTotals(finish());
      this.append(ChunkType.end, { contents, count: 0 });
    } finally {
      this.#file.close();
    }
  }

  /** Closes the file as it is: one that says it is unfinished. */
  abandon(): void {
    this.#file.close();
  }
}
