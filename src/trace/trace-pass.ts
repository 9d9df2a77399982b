/**
 * One walk over the chunks of a recording. It keeps the strings met so far, the records of the
 * current chunk, and its place in the file, which is what a report of damage has to name:
 *
 *   chunk 7 at byte 81234: checksum differs
 */
import type { ChunkHeader } from './chunk.ts';
import {
  ChunkType,
  chunkHeaderLength,
  decodeChunkHeader,
  decodeContents,
  decodeFileHeader,
  fileHeaderLength,
} from './chunk.ts';
import type { Loss } from './damage.ts';
import { Damage, intact } from './damage.ts';
import { InputFile, refuse } from './input-file.ts';
import { RecordChunk } from './record-chunk.ts';
import type { TraceRecord } from './records/record.ts';
import { formatVersion } from './records/record.ts';
import { decodeStrings } from './string-table.ts';
import type { TraceTotals } from './totals.ts';
import { decodeTotals } from './totals.ts';

export class TracePass {
  readonly #file: InputFile;
  readonly #strings: string[] = [];
  #records: RecordChunk | undefined;
  #recordsRead = 0;
  /** Where the current chunk starts; chunk 0 is the file header. */
  #offset = 0;
  #chunk = 0;
  /** Where the next one starts. */
  #end = 0;
  totals: TraceTotals | undefined;

  constructor(path: string) {
    this.#file = new InputFile(path);
  }

  /** The next record; undefined after the last one of a complete recording. */
  next(): TraceRecord | undefined {
    while (this.#records === undefined || this.#records.left === 0) {
      if (this.totals !== undefined) return undefined;
      if (this.#end === 0) this.#readFileHeader();
      else this.#readChunk();
    }
    const record = this.#records.next();
    this.#recordsRead++;
    return record;
  }

  lossBy(damage: Damage): Loss {
    return {
      chunk: this.#chunk,
      offset: this.#offset,
      reason: damage.message,
      recordsBefore: this.#recordsRead,
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
    if (version > formatVersion) {
      throw refuse(
        path,
        `was written by a newer deadheat (format ${version}, this one reads ${formatVersion})`,
        'update deadheat or record again',
      );
    }
    this.#end = fileHeaderLength;
  }

  #readChunk(): void {
    this.#offset = this.#end;
    this.#chunk++;
    const rest = this.#file.size - this.#offset;
    intact(rest > 0, 'the recording was not finished');
    intact(rest >= chunkHeaderLength, 'cut short');
    const header = decodeChunkHeader(this.#file.read(this.#offset, chunkHeaderLength));
    intact(header.number === this.#chunk, `here is chunk ${header.number} instead`);
    intact(rest >= chunkHeaderLength + header.storedLength, 'cut short');
    const stored = this.#file.read(this.#offset + chunkHeaderLength, header.storedLength);
    this.#end = this.#offset + chunkHeaderLength + header.storedLength;
    this.#take(header, decodeContents(header, stored));
  }

  #take({ type, count }: ChunkHeader, contents: Buffer): void {
    switch (type) {
      case ChunkType.strings:
        for (const text of decodeStrings(contents, count)) this.#strings.push(text);
        return;
      case ChunkType.records:
        this.#records = new RecordChunk(contents, count, this.#strings);
        return;
      case ChunkType.end:
        this.#finish(decodeTotals(contents));
        return;
    }
    throw new Damage(`its type, ${type}, is unknown`);
  }

  #finish(totals: TraceTotals): void {
    const { records } = totals;
    intact(records === this.#recordsRead, `${records} records were written, not these`);
    const surplus = this.#file.size - this.#end;
    intact(surplus === 0, `${surplus} bytes follow the end of the recording`);
    this.totals = totals;
  }
}
