/**
 * All that was caught, as races for the report: one for each pair of places in the code, however often it was
 * caught. `counter++` may be caught between two loads and stores in four ways, which are one race of one line.
 *
 * A race that was only found by comparing values has but one side. As soon as the other side of such a place is
 * known, it counts as that race.
 */
import type { Race, Task } from '../report/model.ts';
import { areAtomicMembers } from './atomic-members.ts';
import { BOTH_ARE_ATOMIC, benignReason } from './benign.ts';
import { type CaughtRace, sharedBytes } from './caught.ts';
import type { DebugTarget } from './debug-target.ts';
import { READS_PAST_ITS_STRING, readsPastItsString } from './string-overread.ts';
import { toldRace } from './told-race.ts';
import { addressOf } from './watched-code.ts';

/** It is numbered at the end. */
export type Found = Omit<Race, 'id'>;

export class CaughtRaces {
  readonly #target: DebugTarget;
  /** By the addresses of both instructions, so that what is known need not be told again. */
  readonly #known = new Map<string, Found>();
  readonly #races = new Map<string, Found>();
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
    return [...this.#races.values()].filter((race) => !isOneSided(race)).length;
  }

  /** While both runners stand. What is told of it, if that is the first time. */
  async add(caught: CaughtRace): Promise<Found | undefined> {
    this.strategies[caught.strategy]++;
    this.firstAt ??= performance.now();
    const benign = benignReason(caught) ?? (await this.#reasonBeyond(caught));
    const known = this.#known.get(addressesOf(caught));
    if (known !== undefined) {
      again(known, benign);
      return undefined;
    }
    const told = await toldRace(this.#target, caught);
    const key = keyOf(told);
    const same = this.#races.get(key);
    if (same !== undefined) again(same, benign);
    else this.#races.set(key, { ...told, ...(benign !== undefined && { benign }) });
    // Without an instruction to know it by, the next one may be another.
    if (isKnownByAddress(caught)) this.#known.set(addressesOf(caught), this.#races.get(key)!);
    return same === undefined ? told : undefined;
  }

  /** As of now; the most certain first: those with both sides. */
  races(): Race[] {
    const all = [...this.#races.values()].map((race) => ({ ...race }));
    const whole = all.filter((race) => !isOneSided(race));
    const alone: Found[] = [];
    for (const race of all.filter(isOneSided)) {
      const other = whole.find((one) => hasSide(one, race));
      if (other === undefined) alone.push(race);
      else again(other, other.benign, race.occurrences);
    }
    return [...whole, ...alone].map((race, index) => ({ id: `R${index + 1}`, ...race }));
  }

  /** What instructions and registers alone do not tell. */
  async #reasonBeyond(caught: CaughtRace): Promise<string | undefined> {
    if (await readsPastItsString(this.#target, caught)) return READS_PAST_ITS_STRING;
    // C's atomic loads and stores look like any others.
    const isAtomic = await this.#target.isAtomicData?.(sharedBytes(caught).address);
    if (isAtomic) return 'the variable is of an atomic type';
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

const sideOf = ({ site }: Race['accesses'][number]): string =>
  site.file === undefined
    ? `${site.module} ${site.address}`
    : `${site.file}:${site.line ?? 0} ${site.function ?? ''}`;

const keyOf = ({ accesses }: Found): string => accesses.map(sideOf).sort().join(' ');

const isOneSided = ({ accesses }: Found): boolean =>
  Object.keys(accesses[1]?.site ?? {}).length === 0;

const hasSide = (race: Found, { accesses }: Found): boolean =>
  race.accesses.some((access) => sideOf(access) === sideOf(accesses[0]!));
