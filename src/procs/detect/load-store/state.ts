/**
 * The state of load-store detection: who touches what. Only parts that somebody stores to are kept,
 * since nothing else can be raced for.
 */
import { dirname } from 'node:path';
import { tellingOf } from '../../../base/progress.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import { dependsOnDirectories } from '../../model/families/names.ts';
import { load, named, type Operation, type Part } from '../../model/operation.ts';
import type { Access } from '../race.ts';
import type { Step } from '../step.ts';

/** The accesses of one part of one thing, in the order of the timeline. */
export type Location = readonly Access[];

/** By part, and then by the key of the thing. */
type Locations = Map<Part, Map<string, Access[]>>;

const NONE: readonly Operation[] = [];

/** All locations of the given parts that somebody stores to. */
export function* contestedLocations(
  steps: readonly Step[],
  parts: readonly Part[],
): Generator<Location, void> {
  const contested = storedTo(steps, parts);
  const onTheWay = new DirectoriesOnTheWay(contested.get('entry') ?? new Map());
  for (const step of tellingOf('calls sorted by what they touch', steps)) {
    const { operations } = step;
    if (operations.length === 0) continue;
    for (const operation of operations) addTo(contested, step, operation);
    for (const operation of onTheWay.loadedBy(step)) addTo(contested, step, operation);
  }
  const locations = [...contested.values()].flatMap((things) => [...things.values()]);
  yield* tellingOf('files and the like compared', locations);
}

function storedTo(steps: readonly Step[], parts: readonly Part[]): Locations {
  const contested: Locations = new Map(parts.map((part) => [part, new Map()]));
  for (const { operations } of steps) {
    for (const { op, part, thing } of operations) {
      if (op === 'store') contested.get(part)?.set(thing.key, []);
    }
  }
  return contested;
}

function addTo(contested: Locations, step: Step, operation: Operation): void {
  contested.get(operation.part)?.get(operation.thing.key)?.push({ step, operation });
}

/**
 * Opening obj/a.o also looks up obj. Only directories that somebody creates or removes during the
 * recording are worth listing.
 */
class DirectoriesOnTheWay {
  readonly #changed: ReadonlyMap<string, unknown>;
  /** By directory: itself, if it is one that changes, and those above it. */
  readonly #known = new Map<string, readonly Operation[]>([
    ['/', NONE],
    ['.', NONE],
  ]);

  constructor(changedEntries: ReadonlyMap<string, unknown>) {
    this.#changed = changedEntries;
  }

  loadedBy({ record, operations }: Step): readonly Operation[] {
    if (this.#changed.size === 0 || record.kind !== 'call') return NONE;
    const entries = operations.filter(({ part }) => part === 'entry');
    if (entries.length === 0) return NONE;
    if (!dependsOnDirectories(syscallName(record.number), record.result)) return NONE;
    const loads = entries.map(({ thing }) => this.#downTo(dirname(thing.name)));
    return loads.length === 1 ? loads[0]! : [...new Set(loads.flat())];
  }

  #downTo(directory: string): readonly Operation[] {
    const known = this.#known.get(directory);
    if (known) return known;
    const above = this.#downTo(dirname(directory));
    const isChanged = this.#changed.has(directory);
    const loads = isChanged ? [...above, load('entry', named(directory))] : above;
    this.#known.set(directory, loads);
    return loads;
  }
}
