/**
 * Writes a trace as RAPID's STD text, so that other predictors can be run on it. The eight ops that the
 * text has are written as they are; extra-locks.ts tells how the others are expressed. Allocations,
 * detached threads and the beginnings of waits have no order of their own, and are left out.
 *
 * Goes over the trace twice: whoever writes to a lock has to know who else will read.
 */
import { Op } from '../model/op.ts';
import type { ThreadTraceSource } from '../model/trace.ts';
import { atomicAccesses, Readers, stateAccesses } from './extra-locks.ts';
import { SiteNumbers } from './site-numbers.ts';
import { isStdName, isStdThreadName, UniqueNames } from './unique-names.ts';

export type WriteText = (text: string) => void;

/** Returns the places that the text has only numbers for. */
export function exportStd(trace: ThreadTraceSource, write: WriteText): SiteNumbers {
  const readers = new Readers();
  for (const events of trace.chunks()) readers.look(events);
  const exporter = new StdExporter(trace, readers, write);
  for (const { count, threads, ops, targets, sites } of trace.chunks()) {
    for (let i = 0; i < count; i++) exporter.event(threads[i]!, ops[i]!, targets[i]!, sites[i]!);
  }
  return exporter.sites;
}

class StdExporter {
  readonly sites: SiteNumbers;
  readonly #threads: UniqueNames;
  readonly #locks: UniqueNames;
  readonly #variables: UniqueNames;
  readonly #readers: Readers;
  readonly #write: WriteText;
  /** Names of locks and variables that the trace does not have, by what they are for. */
  readonly #extraLocks = new Map<string, string>();
  readonly #states = new Map<number, string>();
  /** The current line's beginning and end. */
  #thread = '';
  #place = '';

  constructor({ tables }: ThreadTraceSource, readers: Readers, write: WriteText) {
    this.sites = new SiteNumbers(tables);
    const { threads, locks, variables } = tables;
    const nameAt = (i: number): string => threads.cell(i, 'name');
    this.#threads = new UniqueNames(threads.count, nameAt, 'T', isStdThreadName);
    this.#locks = new UniqueNames(locks.count, (i) => locks.cell(i, 'symbol'), 'L', isStdName);
    const symbolAt = (i: number): string => variables.cell(i, 'symbol');
    this.#variables = new UniqueNames(variables.count, symbolAt, 'V', isStdName);
    this.#readers = readers;
    this.#write = write;
  }

  event(thread: number, op: number, target: number, site: number): void {
    this.#thread = this.#threads.of(thread);
    this.#place = `)|${this.sites.of(site)}\n`;
    switch (op) {
      case Op.read:
        return this.#line('r', this.#variables.of(target));
      case Op.write:
        return this.#line('w', this.#variables.of(target));
      case Op.acquire:
        return this.#acquire(target);
      case Op.release:
        return this.#release(target);
      case Op.acquireShared:
        return this.#line('acq', this.#readerLock(target, thread));
      case Op.releaseShared:
        return this.#line('rel', this.#readerLock(target, thread));
      case Op.fork:
      case Op.processFork:
        return this.#line('fork', this.#threads.of(target));
      case Op.join:
        return this.#line('join', this.#threads.of(target));
      case Op.begin:
        return this.#line('begin', this.#thread);
      case Op.end:
        return this.#line('end', this.#thread);
    }
    const atomic = atomicAccesses[op];
    if (atomic !== undefined) {
      const variable = this.#variables.of(target);
      return this.#section(this.#extraLock(`${target}`, `atomic:${variable}`), atomic, variable);
    }
    const state = stateAccesses[op];
    if (state !== undefined) this.#section(this.#locks.of(target), state, this.#state(target));
  }

  #acquire(lock: number): void {
    this.#line('acq', this.#locks.of(lock));
    for (const reader of this.#readers.of(lock)) this.#line('acq', this.#readerLock(lock, reader));
  }

  #release(lock: number): void {
    for (const reader of this.#readers.of(lock).toReversed()) {
      this.#line('rel', this.#readerLock(lock, reader));
    }
    this.#line('rel', this.#locks.of(lock));
  }

  #section(lock: string, accesses: string, variable: string): void {
    this.#line('acq', lock);
    for (const access of accesses) this.#line(access, variable);
    this.#line('rel', lock);
  }

  #readerLock(lock: number, thread: number): string {
    const wanted = `${this.#locks.of(lock)}:${this.#threads.of(thread)}`;
    return this.#extraLock(`${lock} ${thread}`, wanted);
  }

  /** `purpose`: a variable that needs it, or a lock and a thread. Names alone may be ambiguous. */
  #extraLock(purpose: string, wanted: string): string {
    const known = this.#extraLocks.get(purpose);
    if (known !== undefined) return known;
    const name = this.#locks.fresh(wanted);
    this.#extraLocks.set(purpose, name);
    return name;
  }

  #state(lock: number): string {
    const known = this.#states.get(lock);
    if (known !== undefined) return known;
    const name = this.#variables.fresh(`state:${this.#locks.of(lock)}`);
    this.#states.set(lock, name);
    return name;
  }

  #line(op: string, operand: string): void {
    this.#write(`${this.#thread}|${op}(${operand}${this.#place}`);
  }
}
