/**
 * Places in the program: from a site's number, or an address that a call returns to, to a row of the trace.
 * Only those that an event has get one. The address of a call is that of its last byte, so that it belongs to
 * the line of the call and not to the next.
 */
import type { AgentModule } from '../../linux/agent-channel.ts';
import { NONE } from '../model/op.ts';
import type { TraceTables } from '../model/tables.ts';
import type { TracedModule } from './traced-module.ts';

/** An image of a process, with its row. */
export interface LoadedModule {
  readonly record: AgentModule;
  readonly traced: TracedModule;
  readonly row: number;
}

export class SiteRows {
  readonly #tables: TraceTables;
  readonly #modules: readonly LoadedModule[];
  /** By module's row and address: those that all processes have. */
  readonly #rows: Map<string, number>;
  readonly #bySite = new Map<number, number>();
  readonly #byCaller = new Map<number, number>();
  #lastSite = -1;
  #lastRow = NONE;

  constructor(tables: TraceTables, modules: readonly LoadedModule[], rows: Map<string, number>) {
    this.#tables = tables;
    this.#modules = modules;
    this.#rows = rows;
  }

  /** NONE if no module has it. */
  ofSite(site: number): number {
    if (site === this.#lastSite) return this.#lastRow;
    this.#lastSite = site;
    this.#lastRow = this.#bySite.get(site) ?? this.#findSite(site);
    this.#bySite.set(site, this.#lastRow);
    return this.#lastRow;
  }

  /** NONE for code that is in no module. */
  ofCaller(caller: number): number {
    const known = this.#byCaller.get(caller);
    if (known !== undefined) return known;
    const row = this.#findCaller(caller);
    this.#byCaller.set(caller, row);
    return row;
  }

  /** Bytes that the instruction accesses; 0 if not known. */
  sizeOf(site: number): number {
    const module = this.#moduleOfSite(site);
    return module?.traced.siteSizes[site - module.record.siteBase] ?? 0;
  }

  /** The name of what is at an address of the process. */
  dataAt(address: number): string {
    const module = this.#imageAt(address);
    return module ? module.traced.dataAt(address - module.record.loadBase) : '';
  }

  #findSite(site: number): number {
    const module = this.#moduleOfSite(site);
    if (!module) return NONE;
    return this.#rowOf(module, module.traced.sites[site - module.record.siteBase]!);
  }

  #moduleOfSite(site: number): LoadedModule | undefined {
    return this.#modules.find(
      ({ record: { siteBase }, traced }) =>
        site >= siteBase && site < siteBase + traced.sites.length,
    );
  }

  #findCaller(caller: number): number {
    if (caller === 0) return NONE;
    const image = this.#imageAt(caller);
    if (image) return this.#rowOf(image, caller - image.record.loadBase - 1);
    const module = this.#modules.find(
      ({ record: { blobBase }, traced }) =>
        caller >= blobBase && caller < blobBase + traced.blobSize,
    );
    if (!module) return NONE;
    const returned = originalOf(module.traced.returns, caller - module.record.blobBase);
    return returned === undefined ? NONE : this.#rowOf(module, returned - 1);
  }

  #imageAt(address: number): LoadedModule | undefined {
    return this.#modules.find(
      ({ record: { loadBase }, traced }) =>
        address >= loadBase && address < loadBase + traced.imageEnd,
    );
  }

  #rowOf({ traced, row: module }: LoadedModule, address: number): number {
    const name = `${module} ${address}`;
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const row = this.#tables.sites.add({ module, address, ...traced.placeAt(address) });
    this.#rows.set(name, row);
    return row;
  }
}

/** In pairs that are sorted by the first of each. */
function originalOf(returns: Uint32Array, place: number): number | undefined {
  let low = 0;
  let high = returns.length >>> 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (returns[2 * middle]! < place) low = middle + 1;
    else high = middle;
  }
  return returns[2 * low] === place ? returns[2 * low + 1] : undefined;
}
