/** One walk over the records of a recording: it keeps the strings met so far, and the current chunk. */
import { ChunkType } from './chunk.ts';
import type { Chunk } from './chunk-pass.ts';
import { ChunkPass } from './chunk-pass.ts';
import type { Loss } from './damage.ts';
import { Damage } from './damage.ts';
import { processFamily } from './family.ts';
import { RecordChunk } from './record-chunk.ts';
import type { TraceRecord } from './records/record.ts';
import { decodeStrings } from './string-table.ts';
import type { TraceTotals } from './totals.ts';

export class TracePass {
  readonly #chunks: ChunkPass;
  readonly #strings: string[] = [];
  #records: RecordChunk | undefined;
  #recordsRead = 0;

  constructor(path: string) {
    this.#chunks = new ChunkPass(path, processFamily);
  }

  get totals(): TraceTotals | undefined {
    return this.#chunks.totals;
  }

  /** The next record; undefined after the last one of a complete recording. */
  next(): TraceRecord | undefined {
    while (this.#records === undefined || this.#records.left === 0) {
      const chunk = this.#chunks.next(this.#recordsRead);
      if (chunk === undefined) return undefined;
      this.#take(chunk);
    }
    const record = this.#records.next();
    this.#recordsRead++;
    return record;
  }

  lossBy(damage: Damage): Loss {
    return this.#chunks.lossBy(damage, this.#recordsRead);
  }

  close(): void {
    this.#chunks.close();
  }

  #take({ header: { type, count }, contents }: Chunk): void {
    switch (type) {
      case ChunkType.strings:
        for (const text of decodeStrings(contents, count)) this.#strings.push(text);
        return;
      case ChunkType.records:
        this.#records = new RecordChunk(contents, count, this.#strings);
        return;
    }
    throw new Damage(`its type, ${type}, is unknown`);
  }
}
