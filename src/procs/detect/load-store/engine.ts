/**
 * Load-store races: two steps of different processes touch the same part of the same thing, their
 * order can matter, and nothing orders them.
 *
 *   cat reads counter      ‖   sh writes counter     → a race
 *   cat reads counter      ‖   cat reads counter     → none: nobody stores
 *   sh writes, exits, is waited for; sh reads        → none: the wait orders them
 *
 * For one store and one other process, the accesses of that process fall into three stretches, in
 * the order in which they were made: those that happen before the store, those that are concurrent
 * with it, those that happen after it. The two borders are found by bisection, so a file that was
 * written once and read a million times costs twenty steps, not a million:
 *
 *   process 7   before  before │ ‖   ‖   ‖ │ after  after  after
 *
 * Processes that ran strictly one after another share a slot of the clocks: they are taken together,
 * so that a build of thousands of compilers, two at a time, is compared as if it had been three
 * processes.
 *
 * A file that is replaced in one step does not change for those who only read it (model/operation.ts).
 * But who reads it, and then replaces it too, undoes what the other one did:
 *
 *   adding alice   cp list list.1   mv list.1 list      alice's mv ‖ bob's cp, whose copy lacks her;
 *   adding bob     cp list list.2   mv list.2 list      alice's mv ‖ bob's mv
 */
import { firstIndex } from '../../../base/bisect.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import { conflict, type Operation, PARTS, type Part } from '../../model/operation.ts';
import { distance } from '../distance.ts';
import type { Access, DetectedRace, Participant } from '../race.ts';
import { beginningOf, type Step } from '../step.ts';
import type { TaskHistory } from '../task-history.ts';
import type { Timeline } from '../timeline.ts';
import { type Bucket, belongsTo, intoBuckets } from './buckets.ts';
import { accessVerb, type Stretch } from './event.ts';
import { type Pair, RootCauses } from './root-causes.ts';
import { contestedLocations, type Location } from './state.ts';

export interface Pairs {
  pairs: Pair[];
  warnings: string[];
}

/** So that a log to which thousands of processes append cannot take for ever. */
const MOST_COMPARISONS_PER_LOCATION = 1_000_000;

/** Waits and wakeups have detectors of their own, which build on this one. */
const PLAIN_PARTS = PARTS.filter((part) => part !== 'sent' && part !== 'taken');

export function detectLoadStoreRaces(timeline: Timeline): {
  races: DetectedRace[];
  warnings: string[];
} {
  const { pairs, warnings } = concurrentPairs(timeline, timeline.steps, PLAIN_PARTS);
  return { races: pairs.map((pair) => loadStoreRace(pair, timeline.graph)), warnings };
}

export function loadStoreRace(
  { sides, others, occurrences }: Pair,
  graph: HappensBeforeGraph,
): DetectedRace {
  const [a, b] = sides;
  const { part, thing } = a.operation;
  const participants = (pair: Pair['sides']): Participant[] =>
    pair.map((side) => ({
      step: side.step,
      role: side.operation.op,
      verb: accessVerb(side),
      thing: side.operation.thing,
    }));
  return {
    kind: 'load-store',
    thing,
    type: typeOfObject(a.operation),
    parts: participants(sides),
    alternatives: others.map(participants),
    occurrences,
    distance: distance(graph, a.step.event, b.step.event),
    isOutput: part === 'sent' || isInheritedFile(thing.name),
  };
}

/** All concurrent pairs of conflicting accesses of these steps to the given parts, folded by root cause. */
export function concurrentPairs(
  { graph, tasks }: Timeline,
  steps: readonly Step[],
  parts: readonly Part[],
): Pairs {
  const causes = new RootCauses();
  const warnings: string[] = [];
  for (const location of contestedLocations(steps, parts)) {
    if (!isShared(location, graph)) continue;
    const search = new Search(graph, causes);
    for (const bucket of intoBuckets(location)) {
      search.among(bucket, intoStretches(bucket.accesses, graph, tasks));
    }
    if (search.isComplete) continue;
    const { name } = location[0]!.operation.thing;
    warnings.push(`${name}: too many processes write to it; only the first were compared`);
  }
  return { pairs: causes.pairs(), warnings };
}

/** The locations at which there are such pairs. */
export function* racyLocations(
  { graph, tasks }: Timeline,
  steps: readonly Step[],
  parts: readonly Part[],
): Generator<Location, void> {
  for (const location of contestedLocations(steps, parts)) {
    if (!isShared(location, graph)) continue;
    const causes = new RootCauses();
    const search = new Search(graph, causes);
    for (const bucket of intoBuckets(location)) {
      search.among(bucket, intoStretches(bucket.accesses, graph, tasks));
    }
    if (causes.pairs().length > 0 || !search.isComplete) yield location;
  }
}

/** Most things are touched by one process only, or by some that ran one after another. */
function isShared(location: Location, graph: HappensBeforeGraph): boolean {
  const slot = graph.slotOf(location[0]!.step.event);
  return location.some(({ step }) => graph.slotOf(step.event) !== slot);
}

class Search {
  readonly #graph: HappensBeforeGraph;
  readonly #causes: RootCauses;
  #comparisons = 0;

  constructor(graph: HappensBeforeGraph, causes: RootCauses) {
    this.#graph = graph;
    this.#causes = causes;
  }

  get isComplete(): boolean {
    return this.#comparisons <= MOST_COMPARISONS_PER_LOCATION;
  }

  among(bucket: Bucket, stretches: readonly Stretch[]): void {
    for (const stores of stretches) {
      if (stores.operation.op !== 'store') continue;
      for (const others of stretches) {
        if (others.slot === stores.slot) continue;
        if (!conflict(stores.operation, others.operation)) {
          if (stores.operation.seamless) this.#compareReplaced(stores, others, stretches);
          continue;
        }
        this.#comparisons += stores.accesses.length;
        if (!this.isComplete) return;
        for (const store of stores.accesses) this.#compare(store, stores, others, bucket);
      }
    }
  }

  /** Of the loads that are concurrent with a replacement, those after which it is replaced once more. */
  #compareReplaced(replaced: Stretch, loads: Stretch, stretches: readonly Stretch[]): void {
    const rivals = stretches.filter(
      ({ operation, slot }) => operation.op === 'store' && slot !== replaced.slot,
    );
    this.#comparisons += replaced.accesses.length * rivals.length;
    if (!this.isComplete) return;
    for (const store of replaced.accesses) {
      const [from, to] = this.#concurrentWith(store, loads);
      const ends = rivals.map((rival) => {
        const [first, end] = this.#concurrentWith(store, rival);
        return first < end ? this.#endOfThoseBefore(rival.accesses[end - 1]!, loads) : 0;
      });
      const end = Math.min(to, Math.max(0, ...ends));
      if (from < end) this.#causes.of(replaced, loads).add(store, loads.accesses, from, end);
    }
  }

  /** From the first one that is concurrent with the store, up to the first one after it. */
  #concurrentWith({ step: { event } }: Access, { accesses }: Stretch): [from: number, to: number] {
    const graph = this.#graph;
    const from = firstIndex(accesses, ({ step }) => !graph.happensBefore(step.event, event));
    return [from, firstIndex(accesses, ({ step }) => graph.happensBefore(event, step.event), from)];
  }

  #endOfThoseBefore({ step: { event } }: Access, { accesses }: Stretch): number {
    return firstIndex(accesses, ({ step }) => !this.#graph.happensBefore(step.event, event));
  }

  #compare(store: Access, stores: Stretch, others: Stretch, bucket: Bucket): void {
    const { accesses } = others;
    const [from, to] = this.#concurrentWith(store, others);
    if (from >= to) return;
    const cause = this.#causes.of(stores, others);
    if (store.operation.range === undefined && others.operation.range === undefined) {
      return cause.add(store, accesses, from, to);
    }
    this.#comparisons += to - from;
    for (let index = from; index < to; index++) {
      const other = accesses[index]!;
      const place = index === from ? 'first' : index === to - 1 ? 'last' : 'near';
      if (belongsTo(bucket, store, other)) cause.addOne(store, other, place);
    }
  }
}

function intoStretches(
  accesses: readonly Access[],
  graph: HappensBeforeGraph,
  tasks: TaskHistory,
): Stretch[] {
  const stretches = new Map<string, Stretch>();
  for (const access of accesses) {
    const { step, operation } = access;
    const slot = graph.slotOf(step.event);
    const program = tasks.programAt(step.task, beginningOf(step)).name;
    const verb = accessVerb(access);
    const { op, commutes, seamless, toWrite, range } = operation;
    const key = `${slot} ${op} ${commutes} ${seamless} ${toWrite} ${!range} ${verb} ${program}`;
    const known = stretches.get(key);
    if (known) known.accesses.push(access);
    else stretches.set(key, { slot, operation, program, verb, accesses: [access] });
  }
  return [...stretches.values()];
}

const TYPES: Partial<Record<Part, string>> = {
  contents: 'file',
  end: 'file',
  size: 'file',
  position: 'open file',
  sent: 'stream',
  taken: 'stream',
};

function typeOfObject({ part, thing }: Operation): string {
  if (thing.key.startsWith('process ')) return 'process';
  return TYPES[part] ?? (part === 'life' ? 'object' : part);
}

/** A file that was opened before the recording began: where the user sent the output to. */
const isInheritedFile = (name: string): boolean => name.startsWith('file:');
