/**
 * All that was caught, as races for the report: one for each pair of places in the code (race-key.ts), however often it
 * was caught. `counter++` may be caught between two loads and stores in four ways, which are one race of one line.
 *
 * A race that was only found by comparing values has but one side. As soon as the other side of such a place is
 * known, it counts as that race.
 */
import { LOOKS_LIKE_STATISTICS } from '../binary/code/statistics-counter.ts';
import type { Race, Task } from '../report/model.ts';
import { areAtomicMembers } from './atomic-members.ts';
import { BOTH_ARE_ATOMIC, benignReason, isCountedDown } from './benign.ts';
import { type CaughtRace, sharedBytes } from './caught.ts';
import type { DebugTarget, Variable } from './debug-target.ts';
import { raceKey, sideKey, variableOf } from './race-key.ts';
import { READS_PAST_ITS_STRING, readsPastItsString } from './string-overread.ts';
import { toldRace } from './told-race.ts';
import { addressOf } from './watched-code.ts';

/** It is numbered at the end. */
export type Found = Omit<Race, 'id'>;

interface Kept {
  readonly race: Found;
  /** What it is about, without elements of arrays; '' if nobody knows. */
  readonly variable: string;
  /** Where it was caught. */
  readonly addresses: Set<bigint>;
}

export class CaughtRaces {
  readonly #target: DebugTarget;
  /** By the addresses of both instructions, and the variable, so that what is known need not be told again. */
  readonly #known = new Map<string, Kept>();
  readonly #races = new Map<string, Kept>();
  /** What somebody takes from as well: it counts what is there, and not what was ever there. */
  readonly #countedDown = new Set<bigint>();
  /** How often each strategy has caught something. */
  readonly strategies: Record<CaughtRace['strategy'], number> = {
    ...{ watchpoint: 0, meeting: 0, 'value comparison': 0 },
  };

  /** As performance.now() has it. */
  firstAt: number | undefined;

  constructor(target: DebugTarget) {
    this.#target = target;
  }

  get size(): number {
    return this.#races.size;
  }

  /** Of how many both sides are known; another may yet turn out to be one of these. */
  get completeCount(): number {
    return [...this.#races.values()].filter(({ race }) => !isOneSided(race)).length;
  }

  /** While both runners stand. What is told of it, if that is the first time. */
  async add(caught: CaughtRace): Promise<Found | undefined> {
    this.strategies[caught.strategy]++;
    this.firstAt ??= performance.now();
    const { address } = sharedBytes(caught);
    if (isCountedDown(caught)) addUpTo(MOST_ADDRESSES, this.#countedDown, address);
    const found = await this.#target.variableAt?.(address);
    const benign = benignReason(caught) ?? (await this.#reasonBeyond(caught, found));
    const variable = variableOf(found?.name ?? '');
    const places = `${addressesOf(caught)} ${variable}`;
    const known = this.#known.get(places);
    if (known !== undefined) {
      again(known.race, benign);
      addUpTo(MOST_ADDRESSES, known.addresses, address);
      return undefined;
    }
    const told = await toldRace(this.#target, caught);
    const key = raceKey(told, variable);
    const same = this.#races.get(key);
    const race = { ...told, ...(benign !== undefined && { benign }) };
    const kept = same ?? { race, variable, addresses: new Set() };
    if (same !== undefined) again(same.race, benign);
    this.#races.set(key, kept);
    addUpTo(MOST_ADDRESSES, kept.addresses, address);
    // Without an instruction to know it by, the next one may be another.
    if (isKnownByAddress(caught)) this.#known.set(places, kept);
    return same === undefined ? told : undefined;
  }

  /** As of now; the most certain first: those with both sides. */
  races(): Race[] {
    const all = [...this.#races.values()].map((kept) => ({ ...kept, race: { ...kept.race } }));
    for (const { race, addresses } of all) {
      const isCount = [...addresses].some((one) => this.#countedDown.has(one));
      if (isCount && race.benign === LOOKS_LIKE_STATISTICS) delete race.benign;
    }
    const whole = all.filter(({ race }) => !isOneSided(race));
    const alone: Kept[] = [];
    for (const one of all.filter(({ race }) => isOneSided(race))) {
      const other = whole.find((another) => hasSide(another, one))?.race;
      if (other === undefined) alone.push(one);
      else again(other, other.benign, one.race.occurrences);
    }
    return [...whole, ...alone].map(({ race }, index) => ({ id: `R${index + 1}`, ...race }));
  }

  /** What instructions and registers alone do not tell. */
  async #reasonBeyond(
    caught: CaughtRace,
    variable: Variable | undefined,
  ): Promise<string | undefined> {
    if (await readsPastItsString(this.#target, caught)) return READS_PAST_ITS_STRING;
    // C's atomic loads and stores look like any others.
    if (variable?.isAtomic) return 'the variable is of an atomic type';
    return (await areAtomicMembers(this.#target, caught)) ? BOTH_ARE_ATOMIC : undefined;
  }

  tasks(): Task[] {
    const tasks = new Map<string, Task>();
    for (const { accesses } of this.races()) {
      for (const { process, pid, thread, threadName } of accesses) {
        if (thread === 0) continue;
        const task = { pid, thread, process, ...(threadName !== undefined && { threadName }) };
        tasks.set(`${pid} ${thread}`, task);
      }
    }
    return [...tasks.values()];
  }
}

/** Of objects on the heap there may be any number. */
const MOST_ADDRESSES = 1000;

function addUpTo(most: number, addresses: Set<bigint>, address: bigint): void {
  if (addresses.size < most) addresses.add(address);
}

/** What was once caught without an excuse has none. */
function again(race: Found, benign: string | undefined, times = 1): void {
  race.occurrences += times;
  if (benign === undefined) delete race.benign;
}

const isKnownByAddress = ({ other }: CaughtRace): boolean =>
  other === undefined || other.place !== undefined;

function addressesOf({ held, other }: CaughtRace): string {
  const sides = [held.place, other?.place].map((place) => (place ? `${addressOf(place)}` : ''));
  return sides.sort().join(' ');
}

const isOneSided = ({ accesses }: Found): boolean =>
  Object.keys(accesses[1]?.site ?? {}).length === 0;

const hasSide = (whole: Kept, { race, variable }: Kept): boolean =>
  (variable === '' || variable === whole.variable) &&
  whole.race.accesses.some((access) => sideKey(access) === sideKey(race.accesses[0]!));
