/** One walk over the events of a trace file; what they point to goes into the tables on the way. */
import { ChunkType } from '../../trace/chunk.ts';
import { ChunkPass } from '../../trace/chunk-pass.ts';
import type { Damage, Loss } from '../../trace/damage.ts';
import { intact } from '../../trace/damage.ts';
import { decodeStrings } from '../../trace/string-table.ts';
import type { TraceTotals } from '../../trace/totals.ts';
import { EventColumns } from '../model/event-columns.ts';
import type { TraceTables } from '../model/tables.ts';
import { decodeEvents } from './event-chunk.ts';
import { firstTableType, threadFamily } from './family.ts';
import { decodeRows } from './row-chunk.ts';

export class EventPass {
  readonly #chunks: ChunkPass;
  readonly #tables: TraceTables;
  readonly #events = new EventColumns();
  #eventsRead = 0;

  constructor(path: string, tables: TraceTables) {
    this.#chunks = new ChunkPass(path, threadFamily);
    this.#tables = tables;
  }

  get totals(): TraceTotals | undefined {
    return this.#chunks.totals;
  }

  /** The next events; undefined after the last ones of a complete trace. */
  next(): EventColumns | undefined {
    for (;;) {
      const chunk = this.#chunks.next(this.#eventsRead);
      if (chunk === undefined) return undefined;
      const { type, count } = chunk.header;
      if (type === ChunkType.records) {
        decodeEvents(chunk.contents, count, this.#tables, this.#events);
        this.#eventsRead += count;
        return this.#events;
      }
      this.#takeTable(type, count, chunk.contents);
    }
  }

  lossBy(damage: Damage): Loss {
    return this.#chunks.lossBy(damage, this.#eventsRead);
  }

  close(): void {
    this.#chunks.close();
  }

  #takeTable(type: number, count: number, contents: Buffer): void {
    if (type === ChunkType.strings) {
      for (const text of decodeStrings(contents, count)) this.#tables.texts.addNew(text);
      return;
    }
    const table = this.#tables.all[type - firstTableType];
    intact(table !== undefined, `its type, ${type}, is unknown`);
    decodeRows(contents, count, table);
  }
}
