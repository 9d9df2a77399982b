/**
 * One walk over the chunks of a trace file, whatever they hold. It verifies each chunk before it hands
 * it out, and knows its place in the file, which is what a report of damage has to name:
 *
 *   chunk 7 at byte 81234: checksum differs
 */
import { tellProgress } from '../base/progress.ts';
import type { ChunkHeader } from './chunk.ts';
import {
  ChunkType,
  chunkHeaderLength,
  decodeChunkHeader,
  decodeContents,
  decodeFileHeader,
  fileHeaderLength,
} from './chunk.ts';
import type { Damage, Loss } from './damage.ts';
import { intact } from './damage.ts';
import type { TraceFamily } from './family.ts';
import { splitVersion } from './family.ts';
import { InputFile, refuse } from './input-file.ts';
import type { TraceTotals } from './totals.ts';
import { decodeTotals } from './totals.ts';

export interface Chunk {
  readonly header: ChunkHeader;
  readonly contents: Buffer;
}

export class ChunkPass {
  readonly #file: InputFile;
  readonly #family: TraceFamily;
  /** Where the current chunk starts; chunk 0 is the file header. */
  #offset = 0;
  #chunk = 0;
  /** Where the next one starts. */
  #end = 0;
  totals: TraceTotals | undefined;

  constructor(path: string, family: TraceFamily) {
    this.#file = new InputFile(path);
    this.#family = family;
  }

  /** The next chunk, of `recordsRead` before it; undefined at the end of a complete file. */
  next(recordsRead: number): Chunk | undefined {
    if (this.totals !== undefined) return undefined;
    if (this.#end === 0) this.#readFileHeader();
    const chunk = this.#readChunk();
    if (chunk.header.type !== ChunkType.end) return chunk;
    this.#finish(decodeTotals(chunk.contents), recordsRead);
    return undefined;
  }

  lossBy(damage: Damage, recordsBefore: number): Loss {
    return {
      chunk: this.#chunk,
      offset: this.#offset,
      reason: damage.message,
      recordsBefore,
      bytesLost: this.#file.size - this.#offset,
    };
  }

  close(): void {
    this.#file.close();
  }

  #readFileHeader(): void {
    const { path, size } = this.#file;
    if (size === 0) throw refuse(path, 'is empty', 'record again');
    const version = decodeFileHeader(this.#file.read(0, Math.min(size, fileHeaderLength)));
    if (version === undefined) {
      throw refuse(path, 'is not a recording', 'record again');
    }
    const { code, format } = splitVersion(version);
    const { name, formatVersion } = this.#family;
    if (code !== this.#family.code) {
      throw refuse(path, `does not hold what was recorded of ${name}`, 'name a run that does');
    }
    if (format > formatVersion) {
      throw refuse(
        path,
        `was written by a newer deadheat (format ${format}, this one reads ${formatVersion})`,
        'update deadheat or record again',
      );
    }
    this.#end = fileHeaderLength;
  }

  #readChunk(): Chunk {
    this.#offset = this.#end;
    this.#chunk++;
    tellProgress('kB of the recording read', this.#offset >> 10, this.#file.size >> 10);
    const rest = this.#file.size - this.#offset;
    intact(rest > 0, 'the recording was not finished');
    intact(rest >= chunkHeaderLength, 'cut short');
    const header = decodeChunkHeader(this.#file.read(this.#offset, chunkHeaderLength));
    intact(header.number === this.#chunk, `here is chunk ${header.number} instead`);
    intact(rest >= chunkHeaderLength + header.storedLength, 'cut short');
    const stored = this.#file.read(this.#offset + chunkHeaderLength, header.storedLength);
    this.#end = this.#offset + chunkHeaderLength + header.storedLength;
    return { header, contents: decodeContents(header, stored) };
  }

  #finish(totals: TraceTotals, recordsRead: number): void {
    const { records } = totals;
    intact(records === recordsRead, `${records} records were written, not these`);
    const surplus = this.#file.size - this.#end;
    intact(surplus === 0, `${surplus} bytes follow the end of the recording`);
    this.totals = totals;
  }
}
