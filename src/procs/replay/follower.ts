/**
 * Makes a tree of processes follow a script. Every task is held at each of its significant steps
 * until all that the step depends on is done. When the course says so, it lets everybody go.
 *
 * A call that lets others go on may itself have to wait for them, as a write into a full pipe does:
 * if nothing moves, such a step counts as done. If still nothing moves, whoever has the earliest turn
 * of those who stand still may go on out of turn; the recorded order of calls that overlapped is only
 * one of those that are possible.
 */
import type { Pid, Tid } from '../../linux/ids.ts';
import type { ProcessNumbering } from '../../linux/sandbox/process-numbering.ts';
import { Signal, signalName } from '../../linux/signals.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import { isWaker } from '../detect/order/wakers.ts';
import type { Conductor, EnteredCall, Passage, Release } from '../recorder/conductor.ts';
import { isIgnored } from '../recorder/ignored-signals.ts';
import { numbersOf } from '../recorder/task-numbers.ts';
import type { Course } from './course.ts';
import { doesTheSame, usesFutex } from './futexes.ts';
import { mayBeInterrupted } from './interruptible-calls.ts';
import { MadeUpNames } from './made-up-names.ts';
import { isExpected, shownCall, startsTask } from './mismatch.ts';
import { narrowedCall } from './narrowed-call.ts';
import type { Prompter } from './outside/prompter.ts';
import { isInterrupted } from './pending-signals.ts';
import { Player } from './player.ts';
import { Players } from './players.ts';
import { Progress } from './progress.ts';
import { ownNumber, RecordedNumbers } from './recorded-numbers.ts';
import { repeatPoll } from './repeated-poll.ts';
import { type Item, isExec } from './script.ts';
import { deliver, sendEarly } from './signal-delivery.ts';
import { type Divergence, Straying } from './straying.ts';
import { runsAhead } from './thread-order.ts';
import { endsByItself } from './timed-calls.ts';
import { UnseenRests } from './unseen-rest.ts';
import { waitsForThread } from './waiting-tasks.ts';

/** For how long nothing may move. */
const PATIENCE_MS = 20;
/** The same where threads run, which may be waiting for one that is being held. */
const THREADS_PATIENCE_MS = 100;
/** The same while our own main thread may have to say something first. */
const OUTSIDE_PATIENCE_MS = 500;
/** A signal that came within so long after a call came as the call returned. */
const RIGHT_AFTER_NS = 500_000;
/** How often in a row it may happen before we give up. */
const MOST_STALLS = 20;

const CLOSE = syscallNumber('close');
const NONE: ReadonlySet<number> = new Set();

/** That descriptor, or any. */
const closes = (item: Item | undefined, fd?: number): boolean =>
  item?.record.kind === 'call' &&
  item.record.number === CLOSE &&
  (fd === undefined || item.record.args[0] === fd);

/** What may come between two calls, or not. */
const isIncidental = ({ record }: Item): boolean =>
  record.kind === 'signal' || (record.kind === 'call' && usesFutex(record));

/** Neither held by us nor in a recorded call that others have to end. */
const isMoving = ({ standing, doing, isElsewhere, heldBy }: Player): boolean =>
  !standing && (!doing || endsByItself(doing.record)) && !isElsewhere && !heldBy;

/** A wait for just this child's end: whenever it begins, the kernel has it wait for that. */
const isWaitFor = ({ record }: Item, { record: end, task }: Item): boolean =>
  record.kind === 'call' &&
  record.reaped === task.start.pid &&
  end.kind === 'exit' &&
  mayBeInterrupted(record);

export class Follower implements Conductor {
  readonly #course: Course;
  readonly #seesAll: boolean;
  readonly #prompter: Prompter | undefined;
  readonly #progress: Progress;
  readonly #players = new Players();
  readonly #names = new MadeUpNames();
  readonly #straying = new Straying();
  readonly #unseenRests: UnseenRests;
  /** The processes that have several. */
  readonly #threaded: ReadonlySet<Pid>;
  #released: Release[] = [];
  #numbers: RecordedNumbers | undefined;
  #atAnchor = 0;
  #isLive = false;
  #stalls = 0;

  /**
   * `seesAll`: every call is recorded, also those that need no place in the order. `prompter`: for those whom
   * the main thread stands in for.
   */
  constructor(course: Course, seesAll = false, prompter?: Prompter) {
    this.#seesAll = seesAll;
    this.#prompter = prompter;
    this.#course = course;
    this.#progress = new Progress(course);
    const threads = course.script.tasks.filter(({ start }) => start.how === 'thread');
    this.#threaded = new Set(threads.map(({ start }) => start.pid));
    this.#unseenRests = new UnseenRests(course, this.#threaded);
  }

  get unneeded(): ReadonlySet<number> {
    return this.#seesAll ? NONE : this.#course.script.leftOut;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  get divergence(): Divergence | undefined {
    return this.#straying.divergence;
  }

  /** What came out of turn, if anything had to; the order is not the recorded one then. */
  get outOfTurn(): string | undefined {
    return this.#straying.outOfTurn;
  }

  /** Whether all that was to be followed has been. */
  get isThrough(): boolean {
    return this.#progress.isAtAnchors && this.#atAnchor === this.#course.anchors.length;
  }

  begins(root: Tid, numbering?: ProcessNumbering): void {
    this.#numbers = numbering && new RecordedNumbers(numbering, this.#course.script.root);
    this.#players.add(new Player(root, this.#course.script.root));
  }

  /** What needs no place in the order; closing a descriptor that nobody shares is not even recorded. */
  mayPass(task: Tid, number: number, args: readonly number[]): Passage {
    const player = this.#seesAll ? undefined : this.#playerOf(task);
    if (!player || player.doing || this.#isLeftToItself(player)) return 'stops';
    if (this.#unseenRests.hasBegun(player)) {
      player.skipToEnd();
      return startsTask({ number }) || isExec({ number }) ? 'stops' : 'passes from now on';
    }
    if (number === CLOSE) {
      return closes(player.upcoming(isIncidental), args[0]) ? 'stops' : 'passes';
    }
    const { next } = player;
    if (next?.record.kind !== 'call' || next.record.number !== number) return 'stops';
    if (next.isSignificant || this.#isAnchor(next)) return 'stops';
    this.#skip(player);
    return 'passes';
  }

  enters(task: Tid, call: EnteredCall): void {
    const player = this.#playerOf(task);
    if (player) player.isElsewhere = false;
    if (!player || this.#course.script.leftOut.has(call.number)) return this.#release({ task });
    player.brokenOffBy = undefined;
    // The same once more, after a signal.
    if (player.doing) {
      if (isExpected(player.doing.record, call, this.#names)) {
        return this.#release({ task, ...this.#narrowed(player.doing, call) });
      }
      return this.#diverge(player, shownCall(call), player.doing);
    }
    // Whether closing is recorded depends on what was open, which may be another kind of thing now.
    if (call.number === CLOSE && !closes(player.upcoming(isIncidental), call.args[0])) {
      return this.#release({ task });
    }
    if (call.number !== CLOSE) this.#skipCloses(player);
    if (usesFutex(call) && this.#isAnother(player, call)) {
      player.isElsewhere = true;
      return this.#release({ task });
    }
    if (!usesFutex(call)) this.#skipFutexes(player);
    const item = this.#isLeftToItself(player) ? undefined : player.nextAction;
    // It was recorded neither as ended nor as failed: death came first.
    if (item?.record.kind === 'exit' && !startsTask(call)) {
      player.isElsewhere = true;
      return this.#release({ task });
    }
    if (item && !isExpected(item.record, call, this.#names)) {
      if (!this.#awaitsSignal(player, call)) return this.#diverge(player, shownCall(call), item);
      // A call that a signal ended without any effect was not recorded; but it has to be made again.
      if (mayBeInterrupted(call)) {
        player.isElsewhere = true;
        player.brokenOffBy = player.next;
        return this.#release({ task });
      }
      // What the handler does comes first.
      player.standing = { at: 'call', call };
      return this.#schedule();
    }
    if (item && item === player.next && !item.isSignificant && !this.#isAnchor(item)) {
      this.#skip(player);
      return this.#release({ task });
    }
    player.standing = { at: 'call', call };
    this.#schedule();
  }

  left(task: Tid, record: CallRecord, args: readonly number[]): boolean {
    const player = this.#playerOf(task);
    const item = player?.doing;
    if (player) player.isElsewhere = false;
    if (player?.brokenOffBy && player.brokenOffBy === player.next) {
      this.#straying.does(`the end of ${shownCall(record)}`, player.next);
    }
    if (!player || item?.record.kind !== 'call') return true;
    if (!this.#isAnchor(item)) {
      repeatPoll(task, item.record, record, args);
      this.#straying.noteResult(item.record, record);
    }
    // It is not to go on before a signal that it got right then.
    const stays = item === this.#course.staysAfter || this.#getsSignalAfter(player, item);
    if (stays) player.standing = { at: 'return' };
    this.#end(player, item);
    if (stays || !this.#mustWaitForThreads(player)) return !stays;
    player.standing = { at: 'return', forThreads: true };
    return false;
  }

  #getsSignalAfter(player: Player, item: Item): boolean {
    const following = player.itemAfter(item);
    return (
      following?.record.kind === 'signal' &&
      this.#progress.isInside(following) &&
      item.record.kind === 'call' &&
      following.record.time - item.record.leftAt < RIGHT_AFTER_NS
    );
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    const player = this.#playerOf(parent);
    const item = player?.doing;
    if (player?.isUnseen) this.#straying.does('a fork', player.next);
    if (!player || !item?.child) return;
    const born = new Player(child, item.child);
    const number = this.#numbers && numbersOf(child)?.ownPid;
    if (number !== undefined) this.#numbers?.given(item.child, number);
    if (how === 'vfork') player.heldBy = born;
    this.#players.add(born);
    this.#end(player, item);
  }

  execed(task: Tid): void {
    const player = this.#players.get(task);
    if (player?.isUnseen) this.#straying.does('another program', player.next);
    this.#players.freeParentOf(player);
  }

  renamed(from: Tid, to: Tid): void {
    this.#players.renamed(from, to);
  }

  signalled(task: Tid, signal: number): void {
    const player = this.#playerOf(task);
    if (!player || isIgnored(task, signal)) return this.#release({ task, signal });
    if (player.doing && player.doing === this.#course.staysAfter) {
      return this.#release({ task, signal });
    }
    if (this.#isLeftToItself(player)) {
      player.standing = { at: 'signal', signal };
      return this.#schedule();
    }
    const { next } = player;
    if (next?.record.kind === 'signal' && next.record.signal === signal) {
      player.standing = { at: 'signal', signal };
      return this.#schedule();
    }
    // It is sent again when its time comes.
    if (player.expects(signal)) {
      player.early.push(signal);
      return this.#release({ task });
    }
    // When it was recorded, the kernel had made one of several.
    if (signal === Signal.SIGCHLD) return this.#release({ task });
    return this.#diverge(player, `the arrival of ${signalName(signal)}`, next);
  }

  exits(task: Tid): void {
    const player = this.#playerOf(task);
    if (!player) return this.#release({ task });
    this.#skipCloses(player);
    this.#skipFutexes(player);
    const item = this.#isLeftToItself(player) ? undefined : player.nextAction;
    if (item && item.record.kind !== 'exit') return this.#diverge(player, 'its end', item);
    player.standing = { at: 'exit' };
    this.#schedule();
  }

  gone(task: Tid): void {
    const player = this.#players.gone(task);
    if (this.#isLive || !player?.doing) return;
    this.#end(player, player.doing);
  }

  takeReleased(): readonly Release[] {
    if (this.#released.length === 0) return this.#released;
    const released = this.#released;
    this.#released = [];
    return released;
  }

  patience(): number | undefined {
    if (this.#isLive || this.divergence || this.#players.size === 0) return undefined;
    let patience = PATIENCE_MS;
    for (const player of this.#players) {
      if (this.#prompter?.waits(player.doing?.record)) patience = OUTSIDE_PATIENCE_MS;
      if (!isMoving(player)) continue;
      if (!this.#threaded.has(player.script.start.pid)) return undefined;
      patience = Math.max(patience, THREADS_PATIENCE_MS);
    }
    return patience;
  }

  stalled(): void {
    for (const player of this.#players) {
      if (isMoving(player) && !waitsForThread(player.task)) return;
    }
    if (++this.#stalls > MOST_STALLS) return this.#giveUp();
    const waiting = [...this.#players].flatMap(({ doing }) => doing ?? []);
    const newlyPassed = waiting.filter(
      (item) => this.#mayPass(item) && !this.#progress.isPassed(item),
    );
    for (const item of newlyPassed) this.#progress.pass(item);
    if (newlyPassed.length > 0) return this.#schedule();
    const [ahead] = this.#waitingForThreads();
    if (ahead) return this.#goOn(ahead);
    const earliest = this.#earliestStanding();
    if (!earliest) return;
    this.#noteOutOfTurn(earliest.item);
    this.#letGo(earliest.player, earliest.item);
  }

  abandon(): void {
    if (!this.#isLive) this.#straying.isLate();
    for (const player of this.#players) {
      if (player.standing) this.#release({ task: player.task });
      player.standing = undefined;
    }
  }

  hasGivenUp(): boolean {
    return this.divergence !== undefined;
  }

  /** A task that is none of ours, or when there is nothing left to follow, goes its own way. */
  #playerOf(task: Tid): Player | undefined {
    if (this.#isLive || this.divergence) return undefined;
    const player = this.#players.get(task);
    const { without } = this.#course;
    while (player?.next && !player.doing && without?.has(player.next)) this.#skip(player);
    return player;
  }

  #awaitsSignal({ next }: Player, call: EnteredCall): boolean {
    return next?.record.kind === 'signal' && this.#progress.isInside(next) && !startsTask(call);
  }

  /** Which number a descriptor gets depends on threads: one that was closed may have had another. */
  #skipCloses(player: Player): void {
    if (this.#threaded.size === 0) return;
    while (!this.#isLeftToItself(player) && closes(player.next)) this.#skip(player);
  }

  #skipFutexes(player: Player): void {
    while (!this.#isLeftToItself(player)) {
      const record = player.next?.record;
      if (record?.kind !== 'call' || !usesFutex(record)) return;
      this.#skip(player);
    }
  }

  /** A futex that it did not need when it was recorded. */
  #isAnother(player: Player, call: EnteredCall): boolean {
    const item = this.#isLeftToItself(player) ? undefined : player.nextAction;
    return item !== undefined && !doesTheSame(item.record, call);
  }

  #skip(player: Player): void {
    const { isSignificant } = player.next!;
    this.#progress.settle(player.next!);
    player.advance();
    // Nothing else may ever happen that a signal could be sent at.
    if (isSignificant || player.next?.record.kind === 'signal') this.#schedule();
  }

  /** It has done all that it was to do before everybody is let go, and waits for that. */
  #isLeftToItself(player: Player): boolean {
    const { inside } = this.#course;
    if (!inside || player.done < (inside.get(player.script) ?? 0)) return false;
    const { nextAction } = player;
    return !nextAction || this.#progress.isDone(nextAction) || !this.#isAnchor(nextAction);
  }

  #isAnchor(item: Item): boolean {
    return this.#course.anchors.includes(item);
  }

  /** Anchors may wait for what only comes afterwards. */
  #mayPass(item: Item): boolean {
    if (item === this.#course.staysAfter) return false;
    return this.#isAnchor(item) || (item.record.kind === 'call' && isWaker(item.record));
  }

  #mustWaitForThreads(player: Player): boolean {
    if (this.#isLive || !this.#threaded.has(player.script.start.pid)) return false;
    return player.next !== undefined && runsAhead(player, this.#players);
  }

  /** The earliest first. */
  #waitingForThreads(): readonly Player[] {
    const turnOf = ({ next }: Player): number => next?.turn ?? Number.POSITIVE_INFINITY;
    return [...this.#players]
      .filter(({ standing }) => standing?.at === 'return' && standing.forThreads)
      .sort((a, b) => turnOf(a) - turnOf(b));
  }

  #goOn(player: Player): void {
    player.standing = undefined;
    this.#release({ task: player.task });
  }

  #end(player: Player, item: Item): void {
    this.#progress.settle(item);
    this.#stalls = 0;
    player.advance();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isLive || this.divergence) return;
    for (const player of this.#players) {
      const { next } = player;
      if (next && this.#progress.isInside(next) && this.#progress.isReady(next)) this.#try(next);
    }
    for (const player of this.#waitingForThreads()) {
      if (!runsAhead(player, this.#players)) this.#goOn(player);
    }
    if (!this.#progress.isAtAnchors) return;
    const { anchors } = this.#course;
    for (; this.#atAnchor < anchors.length; this.#atAnchor++) {
      const item = anchors[this.#atAnchor]!;
      if (!this.#progress.isBehindUs(item) && !this.#try(item)) return;
    }
    this.#goLive();
  }

  /** Whether it is done with already. */
  #try(item: Item): boolean {
    const player = this.#players.at(item);
    if (!player) return false;
    if (item.record.kind === 'signal') return this.#trySignal(player, item, item.record.signal);
    if (player.doing) return false;
    const { standing } = player;
    if (standing?.at === 'call' || standing?.at === 'exit') this.#letGo(player, item);
    return this.#progress.isDone(item);
  }

  #trySignal(player: Player, item: Item, signal: number): boolean {
    const { release, isDelivered } = deliver(player, item, signal, this.#course.script);
    if (release) this.#release(release);
    if (!isDelivered) return false;
    this.#progress.settle(item);
    player.advance();
    return true;
  }

  #letGo(player: Player, item: Item): void {
    const { standing, task } = player;
    player.standing = undefined;
    player.doing = item;
    if (item === this.#course.staysAfter) sendEarly(player);
    if (item.child) this.#numbers?.expect(item.child);
    if (this.#prompter?.waits(item.record)) {
      // In another order than the recorded one, nobody may have asked for it yet.
      const process = this.#isAnchor(item) ? undefined : numbersOf(task)?.process;
      this.#prompter.before(item.record, process);
    }
    this.#release({ task, ...(standing?.at === 'call' && this.#narrowed(item, standing.call)) });
    // The leader of a group stays until its last thread has gone.
    if (item.record.kind === 'exit' && this.#players.hasCompany(player)) this.#end(player, item);
  }

  #narrowed(item: Item, call: EnteredCall): Partial<Release> {
    const { record } = item;
    if (record.kind !== 'call') return {};
    const child = this.#course.collects?.get(item) ?? this.#numberOf(record.reaped);
    // What a read gets in another order than the recorded one is the kernel's choice.
    if (child === undefined && this.#isAnchor(item)) return {};
    return narrowedCall(record, call, child);
  }

  /** What the program itself calls a process. */
  #numberOf(process: Pid | undefined): number | undefined {
    if (process === undefined) return undefined;
    const task = this.#course.script.tasks.findLast(({ start }) => start.pid === process);
    return task && (this.#numbers?.numberOf(task) ?? ownNumber(task));
  }

  #noteOutOfTurn(item: Item): void {
    const missing = this.#progress.missingBefore(item, (one) => isWaitFor(item, one));
    if (missing) this.#straying.noteOutOfTurn(item, missing);
  }

  #earliestStanding(): { player: Player; item: Item } | undefined {
    let earliest: { player: Player; item: Item } | undefined;
    for (const player of this.#players) {
      const item = player.next;
      if (!player.standing || !item || !this.#progress.isInside(item)) continue;
      if (player.standing.at === 'return') continue;
      if (item.record.kind === 'signal') continue;
      if (!earliest || item.turn < earliest.item.turn) earliest = { player, item };
    }
    return earliest;
  }

  #goLive(): void {
    this.#isLive = true;
    this.#prompter?.letGo();
    for (const player of this.#players) {
      sendEarly(player);
      const { standing, task } = player;
      // A signal that is on its way comes first.
      if (standing?.at === 'call' && isInterrupted(task)) this.#release({ task, rewind: true });
      else if (standing?.at === 'signal') this.#release({ task, signal: standing.signal });
      else if (standing) this.#release({ task });
      player.standing = undefined;
    }
  }

  #giveUp(): void {
    const item = this.#progress.missing ?? this.#course.anchors[this.#atAnchor];
    const needsSignal = item !== undefined && item === this.#course.staysAfter;
    this.#straying.isStuck(item, needsSignal ? 'does not end without the signal' : 'never came');
  }

  #diverge(player: Player, now: string, item: Item | undefined): void {
    this.#straying.does(now, item);
    this.#release({ task: player.task });
  }

  #release(release: Release): void {
    this.#released.push(release);
  }
}
