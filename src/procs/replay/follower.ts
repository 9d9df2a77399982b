/**
 * Makes a tree of processes follow a script. Every task is held at each of its significant steps
 * until all that the step depends on is done. When the course says so, it lets everybody go.
 *
 *   script   14: mkdir("d") exit       15: stat("d") exit
 *
 *   15 enters stat("d")     as the script says, but mkdir("d") comes first: it stands still
 *   14 enters mkdir("d")    goes on; when it has left it, so does 15
 *   14 enters rmdir("e")    not what the script says: the replay has gone astray, and is given up
 *
 * followed-calls.ts holds calls against the script; here are births, signals and ends. turns.ts lets tasks go
 * on, stalls.ts sees to it that somebody can.
 */
import type { Tid } from '../../linux/ids.ts';
import { isIgnored } from '../../linux/ignored-signals.ts';
import type { ProcessNumbering } from '../../linux/sandbox/process-numbering.ts';
import { Signal, signalName } from '../../linux/signals.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Conductor, EnteredCall, Passage, Release } from '../recorder/conductor.ts';
import { numbersOf } from '../recorder/task-numbers.ts';
import type { Course } from './course.ts';
import { FollowedCalls } from './followed-calls.ts';
import { OptionalSteps } from './optional-steps.ts';
import type { Prompter } from './outside/prompter.ts';
import { Player } from './player.ts';
import { RecordedNumbers } from './recorded-numbers.ts';
import { Stage } from './stage.ts';
import { Stalls } from './stalls.ts';
import type { Divergence } from './straying.ts';
import { Turns } from './turns.ts';

const NONE: ReadonlySet<number> = new Set();

export class Follower implements Conductor {
  readonly #seesAll: boolean;
  readonly #stage: Stage;
  readonly #turns: Turns;
  readonly #stalls: Stalls;
  readonly #optionalSteps: OptionalSteps;
  readonly #calls: FollowedCalls;

  /**
   * `seesAll`: every call is recorded, also those that need no place in the order. `prompter`: for those whom
   * the main thread stands in for.
   */
  constructor(course: Course, seesAll = false, prompter?: Prompter) {
    this.#seesAll = seesAll;
    this.#stage = new Stage(course);
    this.#turns = new Turns(this.#stage, prompter);
    this.#stalls = new Stalls(this.#stage, this.#turns, prompter);
    this.#optionalSteps = new OptionalSteps(this.#stage, this.#turns);
    this.#calls = new FollowedCalls(this.#stage, this.#turns, this.#optionalSteps);
  }

  get unneeded(): ReadonlySet<number> {
    return this.#seesAll ? NONE : this.#stage.course.script.leftOut;
  }

  get isLive(): boolean {
    return this.#stage.isLive;
  }

  get divergence(): Divergence | undefined {
    return this.#stage.straying.divergence;
  }

  /** What came out of turn, if anything had to; the order is not the recorded one then. */
  get outOfTurn(): string | undefined {
    return this.#stage.straying.outOfTurn;
  }

  /** Whether all that was to be followed has been. */
  get isThrough(): boolean {
    return this.#turns.isThrough;
  }

  begins(root: Tid, numbering?: ProcessNumbering): void {
    const script = this.#stage.course.script.root;
    this.#stage.numbers = numbering && new RecordedNumbers(numbering, script);
    this.#stage.players.add(new Player(root, script));
  }

  mayPass(task: Tid, number: number, args: readonly number[]): Passage {
    return this.#seesAll ? 'stops' : this.#calls.mayPass(task, number, args);
  }

  enters(task: Tid, call: EnteredCall): void {
    this.#calls.enters(task, call);
  }

  left(task: Tid, record: CallRecord, args: readonly number[]): boolean {
    return this.#calls.left(task, record, args);
  }

  forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    const { straying, players, numbers } = this.#stage;
    const player = this.#turns.playerOf(parent);
    const item = player?.doing;
    if (player?.isUnseen) straying.does('a fork', player.next);
    if (!player || !item?.child) return;
    const born = new Player(child, item.child);
    const number = numbers && numbersOf(child)?.ownPid;
    if (number !== undefined) numbers?.given(item.child, number);
    if (how === 'vfork') player.heldBy = born;
    players.add(born);
    this.#turns.end(player, item);
  }

  execed(task: Tid): void {
    const { players, straying } = this.#stage;
    const player = players.get(task);
    if (player?.isUnseen) straying.does('another program', player.next);
    players.freeParentOf(player);
  }

  renamed(from: Tid, to: Tid): void {
    this.#stage.players.renamed(from, to);
  }

  signalled(task: Tid, signal: number): void {
    const player = this.#turns.playerOf(task);
    if (!player || isIgnored(task, signal)) return this.#turns.release({ task, signal });
    if (player.doing && player.doing === this.#stage.course.staysAfter) {
      return this.#turns.release({ task, signal });
    }
    const { next } = player;
    const isNext = next?.record.kind === 'signal' && next.record.signal === signal;
    if (isNext || this.#stage.isLeftToItself(player)) {
      player.standing = { at: 'signal', signal };
      return this.#turns.schedule();
    }
    // It is sent again when its time comes.
    if (player.expects(signal)) {
      player.early.push(signal);
      return this.#turns.release({ task });
    }
    // When it was recorded, the kernel had made one of several.
    if (signal === Signal.SIGCHLD) return this.#turns.release({ task });
    this.#turns.stray(player, `the arrival of ${signalName(signal)}`, next);
  }

  exits(task: Tid): void {
    const player = this.#turns.playerOf(task);
    if (!player) return this.#turns.release({ task });
    this.#optionalSteps.catchUpAtEnd(player);
    const item = this.#stage.nextActionOf(player);
    if (item && item.record.kind !== 'exit') return this.#turns.stray(player, 'its end', item);
    player.standing = { at: 'exit' };
    this.#turns.schedule();
  }

  gone(task: Tid): void {
    const player = this.#stage.players.gone(task);
    if (!this.#stage.isLive && player?.doing) this.#turns.end(player, player.doing);
  }

  takeReleased(): readonly Release[] {
    return this.#turns.takeReleased();
  }

  patience(): number | undefined {
    return this.#stalls.patience();
  }

  stalled(): void {
    this.#stalls.happened();
  }

  abandon(): void {
    if (!this.#stage.isLive) this.#stage.straying.isLate();
    for (const player of this.#stage.players) if (player.standing) this.#turns.goOn(player);
  }

  hasGivenUp(): boolean {
    return this.divergence !== undefined;
  }
}
