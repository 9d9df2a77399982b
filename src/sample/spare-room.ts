/**
 * Some space on the disk that is kept from the beginning of a run to its end: logs grow until there is none left, and
 * then the run must still be able to say how it ended.
 *
 *   const room = new SpareRoom(run.path);   // …/sample-1/spare-room
 *   room.giveBack();                        // before the last files are written
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';

/** For two files of some hundred bytes, each of which is written anew beside the old one. */
const SIZE = 64 << 10;

export class SpareRoom {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'spare-room');
    // One that lacks it already goes on without.
    void tryTo(() => writeFileSync(encodeBytes(this.#path), Buffer.alloc(SIZE)));
  }

  giveBack(): void {
    void tryTo(() => rmSync(encodeBytes(this.#path), { force: true }));
  }
}
