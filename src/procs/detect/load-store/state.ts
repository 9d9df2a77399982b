/**
 * The state of load-store detection: who touches what. Only parts that somebody stores to are kept,
 * since nothing else can be raced for.
 */
import { dirname } from 'node:path';
import { syscallName } from '../../../linux/syscalls.ts';
import { dependsOnDirectories } from '../../model/families/names.ts';
import { load, named, type Operation, type Part } from '../../model/operation.ts';
import type { Access } from '../race.ts';
import type { Step } from '../step.ts';

/** The accesses of one part of one thing, in the order of the timeline. */
export type Location = readonly Access[];

const locationKey = ({ part, thing }: Operation): string => `${part}\0${thing.key}`;

/** All locations of the given parts that somebody stores to. */
export function contestedLocations(
  steps: readonly Step[],
  isMeant: (part: Part) => boolean,
): Iterable<Location> {
  const contested = new Map<string, Access[]>();
  const changedEntries = new Set<string>();
  for (const { operations } of steps) {
    for (const operation of operations) {
      if (operation.op !== 'store' || !isMeant(operation.part)) continue;
      contested.set(locationKey(operation), []);
      if (operation.part === 'entry') changedEntries.add(operation.thing.key);
    }
  }
  for (const step of steps) {
    for (const operation of step.operations) {
      if (isMeant(operation.part)) contested.get(locationKey(operation))?.push({ step, operation });
    }
    for (const operation of loadsOnTheWay(step, changedEntries)) {
      contested.get(locationKey(operation))?.push({ step, operation });
    }
  }
  return contested.values();
}

/**
 * Opening obj/a.o also looks up obj. Only directories that somebody creates or removes during the
 * recording are worth listing.
 */
function loadsOnTheWay({ record, operations }: Step, changed: ReadonlySet<string>): Operation[] {
  if (record.kind !== 'call' || changed.size === 0 || operations.length === 0) return [];
  if (!dependsOnDirectories(syscallName(record.number), record.result)) return [];
  const loads = new Map<string, Operation>();
  for (const { part, thing } of operations) {
    if (part !== 'entry') continue;
    const { name } = thing;
    for (let parent = dirname(name); parent !== '/' && parent !== '.'; parent = dirname(parent)) {
      if (changed.has(parent)) loads.set(parent, load('entry', named(parent)));
    }
  }
  return [...loads.values()];
}
