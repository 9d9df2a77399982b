/**
 * What to do when nobody moves any more, although there is something left to follow. A call that lets
 * others go on may itself have to wait for them, as here, where both have to be let go at once:
 *
 *   14   write(1, …)      into a full pipe: it will not end before 15 has read
 *   15   stands at read   which has to wait for that write
 *
 * So such a step counts as done. If still nothing moves, whoever has the earliest turn of those who stand
 * still may go on out of turn; the recorded order of calls that overlapped is only one of those that are
 * possible.
 */
import { isWaker } from '../detect/order/wakers.ts';
import { mayBeInterrupted } from './interruptible-calls.ts';
import type { Prompter } from './outside/prompter.ts';
import type { Player } from './player.ts';
import type { Item } from './script.ts';
import type { Stage } from './stage.ts';
import { waitingForThreads } from './thread-order.ts';
import { endsByItself } from './timed-calls.ts';
import type { Turns } from './turns.ts';
import { waitsForThread } from './waiting-tasks.ts';

/** For how long nothing may move. */
const PATIENCE_MS = 20;
/** The same where threads run, which may be waiting for one that is being held. */
const THREADS_PATIENCE_MS = 100;
/** The same while our own main thread may have to say something first. */
const OUTSIDE_PATIENCE_MS = 500;
/** How often in a row it may happen before we give up. */
const MOST_STALLS = 20;

/** Neither held by us nor in a recorded call that others have to end. */
const isMoving = ({ standing, doing, isElsewhere, heldBy }: Player): boolean =>
  !standing && (!doing || endsByItself(doing.record)) && !isElsewhere && !heldBy;

/** A wait for just this child's end: whenever it begins, the kernel has it wait for that. */
const isWaitFor = ({ record }: Item, { record: end, task }: Item): boolean =>
  record.kind === 'call' &&
  record.reaped === task.start.pid &&
  end.kind === 'exit' &&
  mayBeInterrupted(record);

export class Stalls {
  readonly #stage: Stage;
  readonly #turns: Turns;
  readonly #prompter: Prompter | undefined;
  /** How often it has happened since the last step ended. */
  #inARow = 0;
  #endedBefore = 0;

  constructor(stage: Stage, turns: Turns, prompter: Prompter | undefined) {
    this.#stage = stage;
    this.#turns = turns;
    this.#prompter = prompter;
  }

  /** For how many milliseconds nothing may move; undefined: somebody will move by itself. */
  patience(): number | undefined {
    const { players, threaded } = this.#stage;
    if (this.#stage.isOver || players.size === 0) return undefined;
    let patience = PATIENCE_MS;
    for (const player of players) {
      if (this.#prompter?.waits(player.doing?.record)) patience = OUTSIDE_PATIENCE_MS;
      if (!isMoving(player)) continue;
      if (!threaded.has(player.script.start.pid)) return undefined;
      patience = Math.max(patience, THREADS_PATIENCE_MS);
    }
    return patience;
  }

  /** Nothing has moved for so long. */
  happened(): void {
    const { players } = this.#stage;
    for (const player of players) {
      if (isMoving(player) && !waitsForThread(player.task)) return;
    }
    if (this.#count() > MOST_STALLS) return this.#giveUp();
    if (this.#passWakers()) return this.#turns.schedule();
    const [ahead] = waitingForThreads(players);
    if (ahead) return this.#turns.goOn(ahead);
    const earliest = this.#earliestStanding();
    if (!earliest) return;
    this.#noteOutOfTurn(earliest.item);
    this.#turns.letGo(earliest.player, earliest.item);
  }

  #count(): number {
    const { ended } = this.#turns;
    if (ended > this.#endedBefore) this.#inARow = 0;
    this.#endedBefore = ended;
    return ++this.#inARow;
  }

  /** Nobody waits any longer for those that may themselves have to wait; whether there were any. */
  #passWakers(): boolean {
    const { players, progress } = this.#stage;
    const newlyPassed = [...players]
      .flatMap(({ doing }) => doing ?? [])
      .filter((item) => this.#mayPass(item) && !progress.isPassed(item));
    for (const item of newlyPassed) progress.pass(item);
    return newlyPassed.length > 0;
  }

  /** Anchors may wait for what only comes afterwards. */
  #mayPass(item: Item): boolean {
    if (item === this.#stage.course.staysAfter) return false;
    return this.#stage.isAnchor(item) || (item.record.kind === 'call' && isWaker(item.record));
  }

  #earliestStanding(): { player: Player; item: Item } | undefined {
    let earliest: { player: Player; item: Item } | undefined;
    for (const player of this.#stage.players) {
      const item = player.next;
      if (!player.standing || !item || !this.#stage.progress.isInside(item)) continue;
      if (player.standing.at === 'return') continue;
      if (item.record.kind === 'signal') continue;
      if (!earliest || item.turn < earliest.item.turn) earliest = { player, item };
    }
    return earliest;
  }

  #noteOutOfTurn(item: Item): void {
    const { progress, straying } = this.#stage;
    const missing = progress.missingBefore(item, (one) => isWaitFor(item, one));
    if (missing) straying.noteOutOfTurn(item, missing);
  }

  #giveUp(): void {
    const item = this.#turns.awaited;
    const needsSignal = item !== undefined && item === this.#stage.course.staysAfter;
    this.#stage.straying.isStuck(
      item,
      needsSignal ? 'does not end without the signal' : 'never came',
    );
  }
}
