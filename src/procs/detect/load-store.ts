/**
 * Load-store races: two calls of different processes touch the same part of the same path, their
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
 * The same holds for processes that ran strictly one after another and so share a slot of the
 * clocks: they are taken together, so that a build of thousands of compilers, two at a time, is
 * compared as if it had been three processes.
 */
import type { HappensBeforeGraph } from '../../order/graph.ts';
import type { Slot } from '../../order/ids.ts';
import { contestedAccesses, type Side } from './accesses.ts';
import { firstIndex } from './bisect.ts';
import { type LoadStoreRace, RootCauses } from './root-causes.ts';
import type { TaskHistory } from './task-history.ts';
import type { Timeline } from './timeline.ts';

export interface Detection {
  races: LoadStoreRace[];
  warnings: string[];
}

/** Accesses in one slot under one program, alike in all that matters to a conflict. */
interface Stretch {
  slot: Slot;
  op: Side['operation']['op'];
  commutes: boolean;
  program: string;
  sides: Side[];
}

/** So that a log to which thousands of processes append cannot take for ever. */
const MOST_COMPARISONS_PER_PART = 4_000_000;

export function detectLoadStoreRaces({ calls, graph, tasks }: Timeline): Detection {
  const causes = new RootCauses();
  const warnings: string[] = [];
  for (const sides of contestedAccesses(calls).values()) {
    const stretches = intoStretches(sides, graph, tasks);
    if (detectAmong(stretches, graph, causes)) continue;
    const path = sides[0]?.operation.path;
    warnings.push(`${path}: too many processes write to it; only the first were compared`);
  }
  return { races: causes.races(), warnings };
}

/** False if there was too much to compare. */
function detectAmong(
  stretches: readonly Stretch[],
  graph: HappensBeforeGraph,
  causes: RootCauses,
): boolean {
  let comparisons = 0;
  for (const stores of stretches) {
    if (stores.op !== 'store') continue;
    for (const others of stretches) {
      if (others.slot === stores.slot || (stores.commutes && others.commutes)) continue;
      comparisons += stores.sides.length;
      if (comparisons > MOST_COMPARISONS_PER_PART) return false;
      const cause = causes.of(stores.sides[0]!.operation.path, stores.program, others.program);
      for (const store of stores.sides) {
        const { sides } = others;
        const from = firstIndex(sides, ({ event }) => !graph.happensBefore(event, store.event));
        const to = firstIndex(sides, ({ event }) => graph.happensBefore(store.event, event), from);
        if (from < to) cause.add(store, sides, from, to);
      }
    }
  }
  return true;
}

function intoStretches(
  sides: readonly Side[],
  graph: HappensBeforeGraph,
  tasks: TaskHistory,
): Stretch[] {
  const stretches = new Map<string, Stretch>();
  for (const side of sides) {
    const { call, event, operation } = side;
    const slot = graph.slotOf(event);
    const program = tasks.programAt(call.tid, call.entry).name;
    const commutes = operation.commutes ?? false;
    const key = `${slot} ${operation.op} ${commutes} ${program}`;
    const known = stretches.get(key);
    if (known) known.sides.push(side);
    else stretches.set(key, { slot, op: operation.op, commutes, program, sides: [side] });
  }
  return [...stretches.values()];
}
