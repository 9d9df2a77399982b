/**
 * Watchpoints that a stub has set for us, for all runners.
 *
 *   arm([{ 0x5040, 4 }], 'store')    Z2,5040,4
 *   a stop says watch:5042           around(0x5042) is that watch
 */
import type { Watch, WatchedBytes, WatchedFor } from '../debug-target.ts';
import type { GdbConnection } from './connection.ts';
import type { StubAnswers } from './stub-answers.ts';

interface ArmedWatch extends Watch {
  /** Of the packet: for stores, or for loads and stores. */
  readonly type: 2 | 4;
}

/** Stubs tell any address that the access touched; none is longer than this. */
const LONGEST_ACCESS = 8n;

export class StubWatchpoints {
  readonly #connection: GdbConnection;
  readonly #answers: StubAnswers;
  readonly #armed: ArmedWatch[] = [];

  constructor(connection: GdbConnection, answers: StubAnswers) {
    this.#connection = connection;
    this.#answers = answers;
  }

  /** undefined if the stub has none left, or cannot. */
  async arm(pieces: readonly WatchedBytes[], on: WatchedFor): Promise<Watch | undefined> {
    const watch: ArmedWatch = { pieces, type: on === 'store' ? 2 : 4 };
    const done: WatchedBytes[] = [];
    for (const piece of pieces) {
      if ((await this.#ask('Z', watch, piece)) !== 'OK') {
        await this.#remove({ ...watch, pieces: done });
        return undefined;
      }
      done.push(piece);
    }
    this.#armed.push(watch);
    return watch;
  }

  async disarm(watch: Watch): Promise<void> {
    const index = this.#armed.indexOf(watch as ArmedWatch);
    if (index < 0) return;
    const [armed] = this.#armed.splice(index, 1);
    await this.#remove(armed!);
  }

  async disarmAll(): Promise<void> {
    for (const watch of this.#armed.splice(0)) await this.#remove(watch);
  }

  around(address: bigint): Watch | undefined {
    return this.#armed.find(({ pieces }) =>
      pieces.some(
        (one) => address < one.address + BigInt(one.size) && one.address < address + LONGEST_ACCESS,
      ),
    );
  }

  async #remove(watch: ArmedWatch): Promise<void> {
    for (const piece of watch.pieces) await this.#ask('z', watch, piece);
  }

  #ask(verb: 'Z' | 'z', { type }: ArmedWatch, { address, size }: WatchedBytes): Promise<string> {
    const packet = `${verb}${type},${address.toString(16)},${size}`;
    return this.#answers.to(() => this.#connection.ask(packet), '');
  }
}
