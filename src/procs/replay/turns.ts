/**
 * Lets each task of a replay go on when its turn has come: with a step inside of the course as soon as all
 * that it depends on is done, then with the anchors, one by one; and then everybody.
 *
 *   15   stands at stat("d")      has to wait for mkdir("d") of 14
 *   14   stands at mkdir("d")     waits for nobody: goes on
 *   14   has ended that           now 15 may go on, too
 *
 * Whom the recorder is to let go is noted until it asks.
 */
import { tellProgress } from '../../base/progress.ts';
import type { Tid } from '../../linux/ids.ts';
import type { EnteredCall, Release } from '../recorder/conductor.ts';
import { numbersOf } from '../recorder/task-numbers.ts';
import { narrowedCall } from './narrowed-call.ts';
import type { Prompter } from './outside/prompter.ts';
import { isInterrupted } from './pending-signals.ts';
import type { Player } from './player.ts';
import { numberOfProcess } from './recorded-numbers.ts';
import type { Item } from './script.ts';
import { deliver, sendEarly } from './signal-delivery.ts';
import type { Stage } from './stage.ts';
import { runsAhead, waitingForThreads } from './thread-order.ts';

export class Turns {
  readonly #stage: Stage;
  readonly #prompter: Prompter | undefined;
  #released: Release[] = [];
  #atAnchor = 0;
  #ended = 0;

  constructor(stage: Stage, prompter: Prompter | undefined) {
    this.#stage = stage;
    this.#prompter = prompter;
  }

  /** Whether all that was to be followed has been. */
  get isThrough(): boolean {
    return this.#stage.progress.isAtAnchors && !this.#nextAnchor;
  }

  /** What has to come next, that everything else waits for in the end. */
  get awaited(): Item | undefined {
    return this.#stage.progress.missing ?? this.#nextAnchor;
  }

  /** How many steps have ended. */
  get ended(): number {
    return this.#ended;
  }

  /** A task that is none of ours, or when there is nothing left to follow, goes its own way. */
  playerOf(task: Tid): Player | undefined {
    if (this.#stage.isOver) return undefined;
    const player = this.#stage.players.get(task);
    const { without } = this.#stage.course;
    while (player?.next && !player.doing && without?.has(player.next)) this.skip(player);
    return player;
  }

  release(release: Release): void {
    this.#released.push(release);
  }

  takeReleased(): readonly Release[] {
    if (this.#released.length === 0) return this.#released;
    const released = this.#released;
    this.#released = [];
    return released;
  }

  /** Past a step that it makes without us, or not at all. */
  skip(player: Player): void {
    const { isSignificant } = player.next!;
    this.#stage.progress.settle(player.next!);
    player.advance();
    // Nothing else may ever happen that a signal could be sent at.
    if (isSignificant || player.next?.record.kind === 'signal') this.schedule();
  }

  end(player: Player, item: Item): void {
    this.#stage.progress.settle(item);
    this.#ended++;
    player.advance();
    this.schedule();
  }

  /** It does that, and not this item: nobody waits for its turn any more. */
  stray(player: Player, now: string, item: Item | undefined): void {
    this.#stage.straying.does(now, item);
    this.release({ task: player.task });
  }

  /** Lets go whose turn it is. */
  schedule(): void {
    if (this.#stage.isOver) return;
    const { players, progress } = this.#stage;
    for (const { next } of players) {
      if (next && progress.isInside(next) && progress.isReady(next)) this.#try(next);
    }
    for (const player of waitingForThreads(players)) {
      if (!runsAhead(player, players)) this.goOn(player);
    }
    if (!progress.isAtAnchors) return;
    for (let item = this.#nextAnchor; item; item = this.#nextAnchor) {
      if (!progress.isBehindUs(item) && !this.#try(item)) return;
      // The end of a leader brings us here again before it has been let go.
      if (item === this.#nextAnchor) this.#atAnchor++;
    }
    if (!this.#stage.isLive) this.#goLive();
  }

  /** From where its last call has ended. */
  goOn(player: Player): void {
    player.standing = undefined;
    this.release({ task: player.task });
  }

  /** With this, its next step. */
  letGo(player: Player, item: Item): void {
    const { standing, task } = player;
    player.standing = undefined;
    player.doing = item;
    if (item === this.#stage.course.staysAfter) sendEarly(player);
    if (item.child) this.#stage.numbers?.expect(item.child);
    this.#prompt(item, task);
    this.release({ task, ...(standing?.at === 'call' && this.narrowed(item, standing.call)) });
    // The leader of a group stays until its last thread has gone.
    if (item.record.kind === 'exit' && this.#stage.players.hasCompany(player)) {
      this.end(player, item);
    }
  }

  /** How to make the call so that it ends as recorded, or as the course says. */
  narrowed(item: Item, call: EnteredCall): Partial<Release> {
    const { record } = item;
    if (record.kind !== 'call') return {};
    const { course, numbers } = this.#stage;
    const child =
      course.collects?.get(item) ?? numberOfProcess(record.reaped, course.script, numbers);
    // What a read gets in another order than the recorded one is the kernel's choice.
    if (child === undefined && this.#stage.isAnchor(item)) return {};
    return narrowedCall(record, call, child);
  }

  /** Whether it is done with already. */
  #try(item: Item): boolean {
    const player = this.#stage.players.at(item);
    if (!player) return false;
    if (item.record.kind === 'signal') return this.#trySignal(player, item, item.record.signal);
    if (player.doing) return false;
    const { standing } = player;
    if (standing?.at === 'call' || standing?.at === 'exit') this.letGo(player, item);
    return this.#stage.progress.isDone(item);
  }

  #trySignal(player: Player, item: Item, signal: number): boolean {
    const { release, isDelivered } = deliver(player, item, signal, this.#stage.course.script);
    if (release) this.release(release);
    if (!isDelivered) return false;
    this.#stage.progress.settle(item);
    player.advance();
    return true;
  }

  /** Those outside, of whom it may be about to hear. */
  #prompt(item: Item, task: Tid): void {
    if (!this.#prompter?.waits(item.record)) return;
    // In another order than the recorded one, nobody may have asked for it yet.
    const process = this.#stage.isAnchor(item) ? undefined : numbersOf(task)?.process;
    this.#prompter.before(item.record, process);
  }

  #goLive(): void {
    this.#stage.isLive = true;
    tellProgress('going on by itself', 0, 0);
    this.#prompter?.letGo();
    for (const player of this.#stage.players) {
      sendEarly(player);
      const { standing, task } = player;
      // A signal that is on its way comes first.
      if (standing?.at === 'call' && isInterrupted(task)) this.release({ task, rewind: true });
      else if (standing?.at === 'signal') this.release({ task, signal: standing.signal });
      else if (standing) this.release({ task });
      player.standing = undefined;
    }
  }

  get #nextAnchor(): Item | undefined {
    return this.#stage.course.anchors[this.#atAnchor];
  }
}
