/**
 * Numbers for the places in the program. An imported trace gets back its own; in a recorded one they
 * are the numbers of sites, and a table beside the file says what they stand for:
 *
 *   17 <tab> src/queue.c:42 <tab> push <tab> /home/me/queue+0x1a40
 */
import { NONE } from '../model/op.ts';
import type { SiteRow, TraceTables } from '../model/tables.ts';

export class SiteNumbers {
  readonly #tables: TraceTables;
  readonly #numbers: Float64Array;
  /** For events of which nobody knows the place. */
  readonly #unknown: number;

  constructor(tables: TraceTables) {
    const { sites, modules } = tables;
    this.#tables = tables;
    const isImported = modules.count === 0;
    this.#numbers = Float64Array.from({ length: sites.count }, (_, site) =>
      isImported ? sites.cell(site, 'address') : site,
    );
    this.#unknown = this.#numbers.reduce((most, number) => Math.max(most, number), -1) + 1;
  }

  of(site: number): number {
    return site === NONE ? this.#unknown : this.#numbers[site]!;
  }

  /** The lines of the table; none if nothing is known but the numbers. */
  *table(): Generator<string, void> {
    const { sites } = this.#tables;
    for (let number = 0; number < sites.count; number++) {
      const isKnown = sites.cell(number, 'module') !== NONE || sites.cell(number, 'file') !== '';
      if (!isKnown) continue;
      const site = sites.row(number);
      const place = site.file === '' ? '' : `${site.file}:${site.line}`;
      const cells = [this.of(number), place, site.function, this.#address(site)];
      yield `${cells.map((cell) => `${cell}`.replaceAll(/[\t\n]/g, ' ')).join('\t')}\n`;
    }
  }

  #address({ module, address }: SiteRow): string {
    const hex = `0x${address.toString(16)}`;
    return module === NONE ? hex : `${this.#tables.modules.row(module).path}+${hex}`;
  }
}
