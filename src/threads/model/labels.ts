/**
 * What people call the things in a trace: the best name there is, and one that can be told from others.
 *
 *   thread    worker, or worker#3 if there are several, or T3
 *   lock      queue.mutex, or mutex 0x4040
 *   variable  counter, or 4 bytes at 0x7f3c00001010
 *   site      queue.c:42 in push, or libqueue.so+0x1a40, or place 17
 */
import { basename } from 'node:path';
import { printable } from '../../base/bytes.ts';
import { NONE, targetKinds } from './op.ts';
import type { TraceTables } from './tables.ts';

export class Labels {
  readonly #tables: TraceTables;
  readonly #threads: readonly string[];
  readonly #locks: string[] = [];
  readonly #variables: string[] = [];
  readonly #sites: string[] = [];

  /** The tables must be complete: which names are unique is decided here. */
  constructor(tables: TraceTables) {
    this.#tables = tables;
    this.#threads = threadLabels(tables);
  }

  get threads(): readonly string[] {
    return this.#threads;
  }

  thread(number: number): string {
    return this.#threads[number]!;
  }

  lock(number: number): string {
    this.#locks[number] ??= this.#lockLabel(number);
    return this.#locks[number];
  }

  variable(number: number): string {
    this.#variables[number] ??= this.#variableLabel(number);
    return this.#variables[number];
  }

  site(number: number): string {
    if (number === NONE) return '';
    this.#sites[number] ??= this.#siteLabel(number);
    return this.#sites[number];
  }

  allocation(number: number): string {
    const { address, size } = this.#tables.allocations.row(number);
    return `${bytes(size)} at ${hex(address)}`;
  }

  target(op: number, number: number): string {
    switch (targetKinds[op]!) {
      case 'variable':
        return this.variable(number);
      case 'lock':
        return this.lock(number);
      case 'thread':
        return this.thread(number);
      case 'allocation':
        return this.allocation(number);
    }
  }

  #lockLabel(number: number): string {
    const { symbol, kind, address } = this.#tables.locks.row(number);
    return symbol === '' ? `${kind} ${hex(address)}` : printable(symbol);
  }

  #variableLabel(number: number): string {
    const { symbol, address, size } = this.#tables.variables.row(number);
    return symbol === '' ? `${bytes(size)} at ${hex(address)}` : printable(symbol);
  }

  #siteLabel(number: number): string {
    const site = this.#tables.sites.row(number);
    const inFunction = site.function === '' ? '' : ` in ${printable(site.function)}`;
    if (site.file !== '') return `${printable(site.file)}:${site.line}${inFunction}`;
    if (site.module === NONE) return `place ${site.address}`;
    const { path } = this.#tables.modules.row(site.module);
    return `${printable(basename(path))}+${hex(site.address)}${inFunction}`;
  }
}

function threadLabels({ threads }: TraceTables): string[] {
  const names = Array.from({ length: threads.count }, (_, i) => printable(threads.row(i).name));
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, i) => {
    if (name === '') return `T${i}`;
    return counts.get(name) === 1 ? name : `${name}#${i}`;
  });
}

function hex(address: number): string {
  return `0x${address.toString(16)}`;
}

function bytes(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`;
}
