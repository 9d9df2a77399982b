/**
 * Steps that a program may make this time, or not, without that it has left the script:
 *
 *   recorded   futex(WAIT)  mkdir("d")     now   mkdir("d")               nobody had the lock
 *   recorded   close(5)     mkdir("d")     now   close(6)    mkdir("d")   a thread was faster: it got 5
 *
 * Whether closing is recorded depends on what was open, which may be another kind of thing now.
 */
import { syscallNumber } from '../../linux/syscalls.ts';
import type { EnteredCall } from '../recorder/conductor.ts';
import { doesTheSame, usesFutex } from './futexes.ts';
import type { Player } from './player.ts';
import type { Item } from './script.ts';
import type { Stage } from './stage.ts';
import type { Turns } from './turns.ts';

const CLOSE = syscallNumber('close');

export const isClose = (number: number): boolean => number === CLOSE;

/** That descriptor, or any. */
const closes = (item: Item | undefined, fd?: number): boolean =>
  item?.record.kind === 'call' &&
  isClose(item.record.number) &&
  (fd === undefined || item.record.args[0] === fd);

/** What may come between two calls, or not. */
const isIncidental = ({ record }: Item): boolean =>
  record.kind === 'signal' || (record.kind === 'call' && usesFutex(record));

/** Whether the script has it close this descriptor now. */
const mustClose = (player: Player, fd: number | undefined): boolean =>
  closes(player.upcoming(isIncidental), fd);

export class OptionalSteps {
  readonly #stage: Stage;
  readonly #turns: Turns;

  constructor(stage: Stage, turns: Turns) {
    this.#stage = stage;
    this.#turns = turns;
  }

  /** Whether it may close this descriptor without a place in the script: not before what a handler does first. */
  mayClose(player: Player, fd: number | undefined): boolean {
    const { next } = player;
    const isSignalled = next?.record.kind === 'signal' && this.#stage.progress.isInside(next);
    return !isSignalled && !mustClose(player, fd);
  }

  /** Past what it leaves out if it makes this call now; `extra` if the script does not have the call itself. */
  catchUp(player: Player, call: EnteredCall): 'extra' | 'in the script' {
    if (isClose(call.number)) {
      if (this.mayClose(player, call.args[0])) return 'extra';
    } else this.#skipCloses(player);
    if (!usesFutex(call)) this.#skipFutexes(player);
    else if (this.#isAnother(player, call)) return 'extra';
    return 'in the script';
  }

  /** Past what it leaves out if it ends now. */
  catchUpAtEnd(player: Player): void {
    this.#skipCloses(player);
    this.#skipFutexes(player);
  }

  /** Which number a descriptor gets depends on threads: one that was closed may have had another. */
  #skipCloses(player: Player): void {
    if (this.#stage.threaded.size === 0) return;
    while (!this.#stage.isLeftToItself(player) && closes(player.next)) this.#turns.skip(player);
  }

  #skipFutexes(player: Player): void {
    while (!this.#stage.isLeftToItself(player)) {
      const record = player.next?.record;
      if (record?.kind !== 'call' || !usesFutex(record)) return;
      this.#turns.skip(player);
    }
  }

  /** A futex that it did not need when it was recorded. */
  #isAnother(player: Player, call: EnteredCall): boolean {
    const item = this.#stage.nextActionOf(player);
    return item !== undefined && !doesTheSame(item.record, call);
  }
}
