/**
 * An execution branch (RacePro, section 6.1): the recorded run up to the race, and then the racing
 * steps the other way round. Of each process, what happened before one of them is replayed, and
 * nothing else:
 *
 *   P1   S1: creat(F)   S2: write(F)          the race of S1 and S5:
 *   P2   S3: stat(F)    S4: …     S5: open(F)   replay S3, S4; then S5, then S1; then go on freely
 *
 * S3 and S4 move along, since S5 cannot be without them; S2 is left to the program itself.
 */
import { unreachable } from '../../base/assert.ts';
import { Signal } from '../../linux/signals.ts';
import { type Cut, contains, cutBefore, cutIncluding, merged } from '../../order/cut.ts';
import type { EventId } from '../../order/ids.ts';
import type { DetectedRace, Participant } from '../detect/race.ts';
import { InterruptedCalls } from '../detect/signals/interrupted.ts';
import { endOf, type Step } from '../detect/step.ts';
import type { Timeline } from '../detect/timeline.ts';
import { isExec } from '../model/call-groups.ts';
import type { Course } from '../replay/course.ts';
import { type Dependencies, dependenciesOf } from '../replay/dependencies.ts';
import type { Item, Script, ScriptedTask } from '../replay/script.ts';
import { rousedBy } from './roused-waiter.ts';

/** What a branch is made for. */
export type RaceInstance = Pick<DetectedRace, 'kind' | 'parts'>;

export class Branches {
  readonly #dependencies: Dependencies;
  readonly #timeline: Timeline;
  readonly #script: Script;
  readonly #itemOf: ReadonlyMap<object, Item>;
  readonly #eventOf: ReadonlyMap<object, EventId>;

  /** Both of the same records. */
  constructor(timeline: Timeline, script: Script) {
    this.#dependencies = dependenciesOf(script, timeline);
    this.#timeline = timeline;
    this.#script = script;
    this.#itemOf = new Map(script.items.map((item) => [item.record, item]));
    this.#eventOf = new Map(timeline.steps.map(({ record, event }) => [record, event]));
  }

  /** The recorded run itself. */
  get recorded(): Course {
    return { script: this.#script, dependencies: this.#dependencies, anchors: [] };
  }

  /** undefined if there is no such order: something else keeps the steps apart. */
  of(race: RaceInstance): Course | undefined {
    const swapped = this.#swapped(race);
    if (!swapped) return undefined;
    const anchors = swapped.anchors.flatMap((step) => this.#itemOf.get(step.record) ?? []);
    if (anchors.length < swapped.anchors.length) return undefined;
    const inside = this.#inside(swapped.cut, anchors);
    if (!this.#freeParents(inside, anchors)) return undefined;
    const without = this.#withoutEnds(inside);
    const late = swapped.late && this.#itemOf.get(swapped.late.record);
    if (late) without.add(late);
    const collects = this.#collects(swapped);
    const staysAfter = late && anchors[0];
    return { ...this.recorded, inside, anchors, without, collects, staysAfter };
  }

  /**
   * Who is held back has not ended, so that nobody collects it. In a timeline that trusts all waits,
   * what comes after one has the end before it, and there are none of these.
   */
  #withoutEnds(inside: ReadonlyMap<ScriptedTask, number>): Set<Item> {
    const isInside = (item: Item): boolean =>
      item.task.items.indexOf(item) < (inside.get(item.task) ?? 0);
    const held = new Set<number>();
    for (const { start, items } of this.#script.tasks) {
      const last = items.at(-1);
      if (last && !isInside(last)) held.add(start.pid);
    }
    const tellsOfHeld = ({ record }: Item): boolean =>
      (record.kind === 'call' && record.reaped !== undefined && held.has(record.reaped)) ||
      (record.kind === 'signal' && record.signal === Signal.SIGCHLD && held.has(record.from));
    return new Set(this.#script.items.filter((item) => tellsOfHeld(item) && isInside(item)));
  }

  /** A wait gets the child whose end is an anchor. */
  #collects({ anchors }: Swapped): ReadonlyMap<Item, number> {
    const [ended] = anchors;
    const wait = anchors.at(-1);
    const item = wait && this.#itemOf.get(wait.record);
    if (!item || ended?.record.kind !== 'exit') return new Map();
    return new Map([[item, this.#timeline.tasks.ownNumber(ended.process, endOf(ended))]]);
  }

  /**
   * All that may be tried for a race, the closest first. If another process uses what they fight
   * over on its way to the second step, that is a tighter race (section 6.2): without the first step
   * it may never get to the second.
   *
   *   P1   S1: rename(new, F)                 S1 and S3 race; P2 would not write the same
   *   P2   S2: open(F)   …   S3: rename(…, F)  without S1. S1 and S2 tell what really happens.
   */
  instancesOf(race: DetectedRace): readonly Participant[][] {
    const given = [race.parts, ...(race.alternatives ?? [])];
    if (race.kind !== 'load-store') return given;
    const tighter = this.#tighter(race);
    const [first, ...others] = given;
    return tighter ? [first!, tighter, ...others] : given;
  }

  #tighter({ parts, thing }: DetectedRace): Participant[] | undefined {
    const { graph, steps } = this.#timeline;
    const [first, second] = parts as [Participant, Participant];
    const cut = cutBefore(graph, [first.step.event, second.step.event]);
    const isOnTheWay = ({ event, name, name2 }: Step): boolean =>
      (name === thing.name || name2 === thing.name) &&
      contains(graph, cut!, event) &&
      graph.concurrent(event, first.step.event);
    const step = cut && steps.slice(first.step.event + 1, second.step.event).find(isOnTheWay);
    if (!step) return undefined;
    return [first, { step, role: 'load', verb: 'uses' }];
  }

  /** Whose step this is. */
  taskOf({ record }: Step): ScriptedTask | undefined {
    return this.#itemOf.get(record)?.task;
  }

  #swapped(race: RaceInstance): Swapped | undefined {
    const { kind, parts } = race;
    const [first, second] = parts;
    switch (kind) {
      case 'load-store':
        return this.#before([second!.step, first!.step]);
      case 'wait-wakeups':
        return this.#otherWakeup(parts);
      case 'wakeup-waits': {
        const [one, other] = withRole(parts, 'wait');
        return this.#before([other!, one!]);
      }
      case 'signal': {
        const [sent] = withRole(parts, 'signal');
        const [met] = withRole(parts, 'load');
        const [arrival] = withRole(parts, 'wait');
        if (met!.event > arrival!.event) return this.#later(sent!, arrival!);
        const cut = this.#before([sent!, met!])?.cut;
        return cut && { cut, anchors: [sent!] };
      }
    }
    unreachable(kind, 'kind of race');
  }

  /** All that must come before these steps, and then they, in the given order. */
  #before(anchors: readonly Step[]): Swapped | undefined {
    const cut = cutBefore(
      this.#timeline.graph,
      anchors.map(({ event }) => event),
    );
    return cut && { cut, anchors };
  }

  /** The wait gets what came second when it was recorded; what came first is held back. */
  #otherWakeup(parts: readonly Participant[]): Swapped | undefined {
    const { graph, took } = this.#timeline;
    const [wait] = withRole(parts, 'wait');
    const [one, two] = withRole(parts, 'wakeup');
    const isTaken = ({ record, event, process }: Step): boolean =>
      record.kind === 'exit'
        ? wait?.record.kind === 'call' && wait.record.reaped === process
        : (took.get(wait!.event)?.givers.includes(event) ?? false);
    if (graph.happensBefore(one!.event, two!.event)) {
      // Two of one writer: a read that got both gets the first only, and the other way round.
      return this.#wokenBy(isTaken(two!) ? one! : two!, wait!);
    }
    const [taken, other] = isTaken(two!) && !isTaken(one!) ? [two!, one!] : [one!, two!];
    const roused = taken.record.kind === 'exit' ? rousedBy(taken, wait!, this.#timeline) : [];
    const again = roused?.filter(({ record }) => this.#itemOf.has(record));
    const swapped = again && this.#wokenBy(other, ...again, wait!);
    return swapped && !contains(graph, swapped.cut, taken.event) ? swapped : undefined;
  }

  /** The call that the signal interrupted ends first, by what ended it later on. */
  #later(sent: Step, arrival: Step): Swapped | undefined {
    const { graph } = this.#timeline;
    const interrupted = new InterruptedCalls(this.#timeline).by(arrival, sent);
    const before = cutBefore(graph, [sent.event]);
    if (!interrupted || !before) return undefined;
    const soFar = graph.previousInTask(arrival.event);
    const needed = soFar === undefined ? interrupted.by : [...interrupted.by, soFar];
    const cut = merged(before, cutIncluding(graph, needed));
    const isPossible = ![sent, arrival, interrupted.call].some(({ event }) =>
      contains(graph, cut, event),
    );
    return isPossible ? { cut, anchors: [interrupted.call, sent], late: arrival } : undefined;
  }

  /** `waiting`: all that the waiter does from when it is to be woken. */
  #wokenBy(wakeup: Step, ...waiting: readonly Step[]): Swapped | undefined {
    const { graph } = this.#timeline;
    const before = cutBefore(graph, [wakeup.event]);
    if (!before) return undefined;
    const waiterSoFar = graph.previousInTask(waiting[0]!.event);
    const cut =
      waiterSoFar === undefined ? before : merged(before, cutIncluding(graph, [waiterSoFar]));
    const anchors = [wakeup, ...waiting];
    const isPossible = anchors.every(({ event }) => !contains(graph, cut, event));
    return isPossible ? { cut, anchors } : undefined;
  }

  /** How much of each task; a record that is no event of the graph goes with those around it. */
  #inside(cut: Cut, anchors: readonly Item[]): Map<ScriptedTask, number> {
    const { graph } = this.#timeline;
    const counts = new Map<ScriptedTask, number>();
    for (const task of this.#script.tasks) {
      const last = task.items.findLastIndex(({ record }) => {
        const event = this.#eventOf.get(record);
        return event !== undefined && contains(graph, cut, event);
      });
      counts.set(task, last + 1);
    }
    // The first one of a task counts.
    for (const anchor of anchors.toReversed()) {
      counts.set(anchor.task, anchor.task.items.indexOf(anchor));
    }
    return counts;
  }

  /**
   * Whoever has called vfork goes on in the middle of the child's exec, which therefore is no event
   * before the next one of the parent; but it has to be let go. False if it is an anchor.
   */
  #freeParents(counts: Map<ScriptedTask, number>, anchors: readonly Item[]): boolean {
    for (const task of this.#script.tasks) {
      const goesTo = (counts.get(task) ?? 0) + (anchors.some((one) => one.task === task) ? 1 : 0);
      for (const { child } of task.items.slice(0, Math.max(0, goesTo - 1))) {
        if (child?.start.how !== 'vfork') continue;
        const exec = child.items.findIndex(isSuccessfulExec);
        if (exec < 0 || (counts.get(child) ?? 0) > exec) continue;
        if (anchors.some((one) => one.task === child)) return false;
        counts.set(child, exec + 1);
      }
    }
    return true;
  }
}

interface Swapped {
  readonly cut: Cut;
  readonly anchors: readonly Step[];
  /** The arrival of a signal that comes only after the first of them. */
  readonly late?: Step;
}

const isSuccessfulExec = ({ record }: Item): boolean =>
  record.kind === 'call' && isExec(record) && record.result >= 0;

const withRole = (parts: readonly Participant[], role: Participant['role']): Step[] =>
  parts.filter((part) => part.role === role).map(({ step }) => step);
