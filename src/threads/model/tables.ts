/**
 * What the numbers in events stand for. An imported trace knows names and nothing else: addresses and
 * sizes are 0 there, and a site is the number that the file has for it.
 */
import type { TargetKind } from './op.ts';
import { Table } from './table.ts';
import { Texts } from './texts.ts';

export interface ThreadRow {
  /** Not unique in a recorded trace: a pool of threads may be eight times `worker`. */
  readonly name: string;
  readonly process: number;
  readonly tid: number;
}

export const LOCK_KINDS = [
  'mutex',
  'rwlock',
  'spinlock',
  'condition',
  'semaphore',
  'barrier',
  'once',
] as const;

/** Whatever threads wait for each other with. */
export interface LockRow {
  readonly kind: (typeof LOCK_KINDS)[number];
  readonly address: number;
  /** `queue.mutex`, or '' if there is none. */
  readonly symbol: string;
}

export interface AllocationRow {
  readonly address: number;
  readonly size: number;
}

export interface VariableRow {
  readonly address: number;
  readonly size: number;
  /** The allocation that it is in, or NONE. */
  readonly allocation: number;
  readonly symbol: string;
}

export interface SiteRow {
  /** NONE in an imported trace, and for code that is in no file. */
  readonly module: number;
  /** As in the module's file; without a module, the number that an imported trace has for the place. */
  readonly address: number;
  readonly function: string;
  /** '' if it is not known. */
  readonly file: string;
  readonly line: number;
}

/** An executable or a library whose functions were to be traced. */
export interface ModuleRow {
  readonly path: string;
  readonly buildId: string;
  readonly functionsTraced: number;
}

/** Why functions of a module could not be traced, and how many. */
export interface SkippedRow {
  readonly module: number;
  readonly reason: string;
  readonly functions: number;
}

export class TraceTables {
  readonly texts = new Texts();
  readonly modules = new Table<ModuleRow>(this.texts, {
    path: 'text',
    buildId: 'text',
    functionsTraced: 'number',
  });
  readonly skipped = new Table<SkippedRow>(this.texts, {
    module: { rowOf: this.modules.rows },
    reason: 'text',
    functions: 'number',
  });
  readonly threads = new Table<ThreadRow>(this.texts, {
    name: 'text',
    process: 'number',
    tid: 'number',
  });
  readonly locks = new Table<LockRow>(this.texts, {
    kind: LOCK_KINDS,
    address: 'number',
    symbol: 'text',
  });
  readonly allocations = new Table<AllocationRow>(this.texts, {
    address: 'number',
    size: 'number',
  });
  readonly variables = new Table<VariableRow>(this.texts, {
    address: 'number',
    size: 'number',
    allocation: { rowOf: this.allocations.rows },
    symbol: 'text',
  });
  readonly sites = new Table<SiteRow>(this.texts, {
    module: { rowOf: this.modules.rows },
    address: 'number',
    function: 'text',
    file: 'text',
    line: 'number',
  });

  /**
   * All of them. Their places stand for them on disk, and are the order in which they are written, so
   * that a table comes after those that its rows name: add at the end.
   */
  get all(): readonly Table<unknown>[] {
    const { modules, skipped, threads, locks, allocations, variables, sites } = this;
    return [modules, skipped, threads, locks, allocations, variables, sites] as Table<unknown>[];
  }

  /** How many things an op's target can be, by the kind of target. */
  get targetCounts(): Readonly<Record<TargetKind, number>> {
    return {
      variable: this.variables.count,
      lock: this.locks.count,
      thread: this.threads.count,
      allocation: this.allocations.count,
    };
  }
}
