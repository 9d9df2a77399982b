/**
 * Load-store races: two calls of different tasks touch the same part of the same path, at least
 * one of them stores, and nothing orders them.
 *
 *   cat reads counter      ‖   sh writes counter     → a race
 *   cat reads counter      ‖   cat reads counter     → none: nobody stores
 *   sh writes, exits, is waited for; sh reads        → none: the wait orders them
 *
 * Instances with the same path and the same pair of programs are one root cause, told once with
 * its closest pair and a count.
 */
import { dirname } from 'node:path';
import { dependsOnDirectories, operationsOf } from '../model/calls.ts';
import { conflict, load, type Operation } from '../model/operation.ts';
import type { CallEvent, Timeline } from './timeline.ts';

export interface Side extends CallEvent {
  operation: Operation;
}

export interface LoadStoreRace {
  /** In the order in which they happened. */
  sides: [Side, Side];
  occurrences: number;
}

/** So that a file which a thousand processes append to cannot take for ever. */
const MOST_PAIRS_PER_PART = 200_000;

export interface Detection {
  races: LoadStoreRace[];
  warnings: string[];
}

export function detectLoadStoreRaces(timeline: Timeline): Detection {
  const found = new Map<string, LoadStoreRace & { distance: number }>();
  const warnings: string[] = [];
  for (const sides of accessesByPart(timeline.calls).values()) {
    const pairs = conflictingPairs(sides);
    let budget = MOST_PAIRS_PER_PART;
    for (const pair of pairs) {
      if (--budget < 0) {
        const { path } = pair[0].operation;
        warnings.push(`${path}: too many accesses, only the first pairs were compared`);
        break;
      }
      const [a, b] = pair;
      if (timeline.graph.concurrent(a.event, b.event)) fold(found, timeline, pair);
    }
  }
  const races = [...found.values()].sort((a, b) => a.distance - b.distance);
  return { races, warnings };
}

function fold(
  found: Map<string, LoadStoreRace & { distance: number }>,
  { tasks }: Timeline,
  [a, b]: [Side, Side],
): void {
  const programs = [a, b].map(({ call }) => tasks.programAt(call.tid, call.entry).name).sort();
  const cause = [a.operation.path, ...programs].join('\0');
  const distance = Math.abs(a.call.exit - b.call.exit);
  const sides: [Side, Side] = a.call.exit <= b.call.exit ? [a, b] : [b, a];
  const known = found.get(cause);
  const occurrences = (known?.occurrences ?? 0) + 1;
  if (known && known.distance <= distance) known.occurrences = occurrences;
  else found.set(cause, { sides, distance, occurrences });
}

/** Pairs of different tasks whose order can matter. */
function* conflictingPairs(sides: readonly Side[]): Generator<[Side, Side]> {
  if (!sides.some(({ operation }) => operation.op === 'store')) return;
  for (const [index, a] of sides.entries()) {
    for (let later = index + 1; later < sides.length; later++) {
      const b = sides[later]!;
      if (a.call.tid !== b.call.tid && conflict(a.operation, b.operation)) yield [a, b];
    }
  }
}

/** All accesses, grouped by the part of the path they touch. */
function accessesByPart(calls: readonly CallEvent[]): Map<string, Side[]> {
  const modelled = calls.map((call) => ({ ...call, operations: operationsOf(call.call, call) }));
  const changedEntries = new Set<string>();
  for (const { operations } of modelled) {
    for (const { op, part, path } of operations) {
      if (op === 'store' && part === 'entry') changedEntries.add(path);
    }
  }
  const byPart = new Map<string, Side[]>();
  for (const { operations, ...called } of modelled) {
    const { call } = called;
    const onTheWay = dependsOnDirectories(call) ? loadsOnTheWay(operations, changedEntries) : [];
    for (const operation of [...operations, ...onTheWay]) {
      const key = `${operation.part}\0${operation.path}`;
      const sides = byPart.get(key);
      if (sides) sides.push({ ...called, operation });
      else byPart.set(key, [{ ...called, operation }]);
    }
  }
  return byPart;
}

/**
 * Opening obj/a.o also looks up obj. Only directories that somebody creates or removes during the
 * recording are worth listing.
 */
function loadsOnTheWay(
  operations: readonly Operation[],
  changed: ReadonlySet<string>,
): Operation[] {
  const loads = new Map<string, Operation>();
  for (const { part, path } of operations) {
    if (part !== 'entry') continue;
    for (let parent = dirname(path); parent !== '/' && parent !== '.'; parent = dirname(parent)) {
      if (changed.has(parent)) loads.set(parent, load('entry', parent));
    }
  }
  return [...loads.values()];
}
