/**
 * The locks of a process. An address alone does not make one: what is initialised, or lies in memory that is
 * allocated anew, is another lock. A condition and a mutex may have the same address, too, one after the other.
 */
import { LockBits, LogOp } from '../../linux/agent-protocol.ts';
import { LOCK_KINDS, type LockRow, type TraceTables } from '../model/tables.ts';
import { PageNumbers, pageOf } from './pages.ts';

type LockKind = LockRow['kind'];

const KIND_OF_BITS: Readonly<Record<number, LockKind>> = {
  [LockBits.DH_LOCK_MUTEX]: 'mutex',
  [LockBits.DH_LOCK_RWLOCK]: 'rwlock',
  [LockBits.DH_LOCK_SPIN]: 'spinlock',
  [LockBits.DH_LOCK_CONDITION]: 'condition',
  [LockBits.DH_LOCK_SEMAPHORE]: 'semaphore',
  [LockBits.DH_LOCK_BARRIER]: 'barrier',
};

const KIND_OF_OP: Readonly<Record<number, LockKind>> = {
  [LogOp.DH_OP_WAIT_BEGIN]: 'condition',
  [LogOp.DH_OP_WAIT_END]: 'condition',
  [LogOp.DH_OP_SIGNAL]: 'condition',
  [LogOp.DH_OP_BROADCAST]: 'condition',
  [LogOp.DH_OP_POST]: 'semaphore',
  [LogOp.DH_OP_WAIT_DONE]: 'semaphore',
  [LogOp.DH_OP_ARRIVE]: 'barrier',
  [LogOp.DH_OP_LEAVE]: 'barrier',
  [LogOp.DH_OP_ONCE_BEGIN]: 'once',
  [LogOp.DH_OP_ONCE_END]: 'once',
  [LogOp.DH_OP_ONCE_PASS]: 'once',
};

/** Of the object of an operation; `extra` has it for those that several kinds know. */
export function kindOfLock(op: number, extra: number): LockKind {
  return KIND_OF_OP[op] ?? KIND_OF_BITS[extra & 0xff] ?? 'mutex';
}

export class LockRows {
  readonly #tables: TraceTables;
  readonly #symbolAt: (address: number) => string;
  /** By address and kind. */
  readonly #rows = new Map<number, number>();
  /** Keys of `#rows`, by page. */
  readonly #pages = new PageNumbers();
  readonly #keys: Set<number>[] = [];

  constructor(tables: TraceTables, symbolAt: (address: number) => string) {
    this.#tables = tables;
    this.#symbolAt = symbolAt;
  }

  rowOf(kind: LockKind, address: number): number {
    const key = keyOf(kind, address);
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    // Inside a pthread_mutex_t is a union, which says nothing to people.
    const symbol = this.#symbolAt(address).replace(/\.\([^)]*\)$/, '');
    const row = this.#tables.locks.add({ kind, address, symbol });
    this.#rows.set(key, row);
    const number = this.#pages.add(pageOf(address));
    this.#keys[number] ??= new Set();
    this.#keys[number].add(key);
    return row;
  }

  /** What is used in this memory from now on is new. */
  forget(address: number, size: number): void {
    this.#pages.forEachIn(pageOf(address), pageOf(address + size - 1), (_page, number) => {
      for (const key of this.#keys[number]!) {
        if (key < address * KINDS || key >= (address + size) * KINDS) continue;
        this.#rows.delete(key);
        this.#keys[number]!.delete(key);
      }
    });
  }

  forgetOne(kind: LockKind, address: number): void {
    const key = keyOf(kind, address);
    if (this.#rows.delete(key)) this.#keys[this.#pages.find(pageOf(address))]!.delete(key);
  }
}

/** At least as many as there are. */
const KINDS = 8;
const keyOf = (kind: LockKind, address: number): number =>
  address * KINDS + LOCK_KINDS.indexOf(kind);
