/**
 * Which races have the same cause, so that one bug is one report: those between the same two lines of the
 * program, on the same variable or other elements of the same array.
 *
 *   slots[3]  queue.c:41  queue.c:55  ┐
 *   slots[7]  queue.c:55  queue.c:41  ┴ one cause
 *   head      queue.c:41  queue.c:55    another
 *
 * A line is several instructions, and `counter++` reads and writes: what the accesses are does not matter.
 * Where lines are not known, the instruction stands for the line; in an imported trace, the number that it has
 * for the place.
 */
import { NONE } from '../model/op.ts';
import type { TraceTables } from '../model/tables.ts';
import type { AccessPair, Race, Rung } from './race.ts';
import { RUNGS } from './race.ts';

export class Causes {
  readonly #tables: TraceTables;
  /** By site, its line. */
  readonly #places: string[] = [];
  /** By variable, what it is a part of. */
  readonly #wholes: string[] = [];

  constructor(tables: TraceTables) {
    this.#tables = tables;
  }

  of({ variable, first, second }: AccessPair): string {
    const [low, high] = [this.#placeOf(first.site), this.#placeOf(second.site)].sort();
    // Without places, nothing but the variable tells races apart.
    const isPlaceless = first.site === NONE || second.site === NONE;
    const what = isPlaceless ? `variable ${variable}` : this.#wholeOf(variable);
    return `${low}\n${high}\n${what}`;
  }

  #placeOf(site: number): string {
    if (site === NONE) return '?';
    this.#places[site] ??= this.#linePlace(site);
    return this.#places[site];
  }

  #linePlace(site: number): string {
    const { file, line } = this.#tables.sites.row(site);
    return file === '' || line === 0 ? `site ${site}` : `${file}:${line}`;
  }

  #wholeOf(variable: number): string {
    this.#wholes[variable] ??= withoutIndexes(this.#tables.variables.cell(variable, 'symbol'));
    return this.#wholes[variable];
  }
}

/** `slots[3].head` is `slots[].head`; what has no name is in a block of memory like any other. */
function withoutIndexes(symbol: string): string {
  return symbol.replace(/\[\d+\]/g, '[]').replace(/\+(0x)?[0-9a-f]+$/, '');
}

export interface CausedRace<Witness> extends Race<Witness> {
  /** On how many variables there are races with this cause. */
  readonly variables: number;
}

/**
 * One race for each cause, in the order in which they come: that of the lowest rung, and there a certain one if
 * there is any. Occurrences add up.
 */
export function foldByCause<Witness>(
  races: readonly Race<Witness>[],
  causes: Causes,
): CausedRace<Witness>[] {
  const groups = new Map<string, Race<Witness>[]>();
  for (const race of races) {
    const cause = causes.of(race);
    const group = groups.get(cause);
    if (group === undefined) groups.set(cause, [race]);
    else group.push(race);
  }
  return [...groups.values()].map((group) => ({
    ...group.reduce((best, other) => (rankOf(other) < rankOf(best) ? other : best)),
    occurrences: group.reduce((sum, { occurrences }) => sum + occurrences, 0),
    variables: new Set(group.map(({ variable }) => variable)).size,
  }));
}

function rankOf({ rung, isCertain }: { rung: Rung; isCertain: boolean }): number {
  return 2 * RUNGS.indexOf(rung) + (isCertain ? 0 : 1);
}
