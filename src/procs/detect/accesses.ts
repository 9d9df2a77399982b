/**
 * Who touches what: all accesses of a recording, sorted by the part of the path they touch. Only
 * parts that somebody stores to are listed, since nothing else can be raced for.
 */
import { dirname } from 'node:path';
import { dependsOnDirectories, operationsOf } from '../model/calls.ts';
import { load, type Operation } from '../model/operation.ts';
import type { CallEvent } from './timeline.ts';

/** One access: a call, and which of its operations is meant. */
export interface Side extends CallEvent {
  operation: Operation;
}

const partKey = ({ part, path }: Operation): string => `${part}\0${path}`;

/** For each part that is stored to, the accesses in the order of the timeline. */
export function contestedAccesses(calls: readonly CallEvent[]): Map<string, Side[]> {
  const modelled = calls.map((called) => ({
    called,
    operations: operationsOf(called.call, called),
  }));
  const contested = new Map<string, Side[]>();
  const changedEntries = new Set<string>();
  for (const { operations } of modelled) {
    for (const operation of operations) {
      if (operation.op !== 'store') continue;
      contested.set(partKey(operation), []);
      if (operation.part === 'entry') changedEntries.add(operation.path);
    }
  }
  for (const { called, operations } of modelled) {
    const onTheWay = dependsOnDirectories(called.call)
      ? loadsOnTheWay(operations, changedEntries)
      : [];
    for (const operation of [...operations, ...onTheWay]) {
      contested.get(partKey(operation))?.push({ ...called, operation });
    }
  }
  return contested;
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
