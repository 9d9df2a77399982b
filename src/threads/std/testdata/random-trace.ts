/**
 * Random traces for property tests, well formed by construction: a list of wishes (who, what, to which)
 * is played, and what is impossible at its turn, such as taking a lock that another thread holds, is
 * left out. Shrinking the list shrinks the trace.
 */
import fc from 'fast-check';
import { NONE, Op } from '../../model/op.ts';
import { ThreadTrace } from '../../model/trace.ts';

export interface Wish {
  readonly thread: number;
  readonly op: Op;
  readonly target: number;
  readonly site: number;
}

const THREADS = 4;
const OBJECTS = 3;

/** All that order threads in other ways. */
export const FURTHER_OPS: readonly Op[] = [
  Op.atomicRead,
  Op.atomicWrite,
  Op.atomicUpdate,
  Op.waitBegin,
  Op.waitEnd,
  Op.signal,
  Op.broadcast,
  Op.post,
  Op.waitDone,
  Op.arrive,
  Op.leave,
  Op.onceBegin,
  Op.onceEnd,
  Op.oncePass,
];

export const SHARED_OPS: readonly Op[] = [Op.acquireShared, Op.releaseShared];

/** The ops that STD text has. */
export const PLAIN_OPS: readonly Op[] = [
  Op.read,
  Op.write,
  Op.acquire,
  Op.release,
  Op.fork,
  Op.join,
  Op.begin,
  Op.end,
];

export function wishes(ops: readonly Op[], maxLength = 100): fc.Arbitrary<readonly Wish[]> {
  // With as many ends as others, nobody would be left after a few events.
  const isFatal = (op: Op): boolean => op === Op.join || op === Op.end;
  const weighted = ops.flatMap((op) => (isFatal(op) ? [op] : new Array<Op>(8).fill(op)));
  const wish = fc.record({
    thread: fc.nat(THREADS - 1),
    op: fc.constantFrom(...weighted),
    target: fc.nat(OBJECTS - 1),
    site: fc.nat(5),
  });
  return fc.array(wish, { maxLength, size: 'max' });
}

export function play(list: readonly Wish[], nameOf = (kind: string, n: number) => `${kind}${n}`) {
  const trace = new ThreadTrace();
  const { threads, locks, variables, sites } = trace.tables;
  for (let i = 0; i < THREADS; i++) threads.add({ name: nameOf('T', i), process: 0, tid: 0 });
  for (let i = 0; i < 2 * OBJECTS; i++) {
    locks.add({ kind: 'mutex', address: 0, symbol: nameOf('L', i) });
  }
  for (let i = 0; i < OBJECTS; i++) {
    variables.add({ address: 0, size: 0, allocation: NONE, symbol: nameOf('V', i) });
  }
  for (let i = 0; i < 6; i++) {
    sites.add({ module: NONE, address: 10 * i - 20, function: '', file: '', line: 0 });
  }
  const player = new Player(trace);
  for (const wish of list) player.play(wish);
  return trace;
}

class Player {
  readonly #trace: ThreadTrace;
  readonly #state = new Array<'new' | 'forked' | 'running' | 'over'>(THREADS).fill('new');
  /** By lock, who holds it, once for each acquire. */
  readonly #holders: number[][] = Array.from({ length: OBJECTS }, () => []);
  readonly #readers: number[][] = Array.from({ length: OBJECTS }, () => []);

  constructor(trace: ThreadTrace) {
    this.#trace = trace;
  }

  play({ thread, op, target, site }: Wish): void {
    if (this.#state[thread] === 'over' || !this.#isPossible(thread, op, target)) return;
    this.#trace.append(thread, op, this.#targetOf(thread, op, target), site);
    this.#state[thread] = op === Op.end ? 'over' : 'running';
    if (op === Op.acquire) this.#holders[target]!.push(thread);
    if (op === Op.release) this.#holders[target]!.pop();
    if (op === Op.acquireShared) this.#readers[target]!.push(thread);
    if (op === Op.releaseShared) {
      this.#readers[target]!.splice(this.#readers[target]!.indexOf(thread), 1);
    }
    if (op === Op.fork) this.#state[target] = 'forked';
    if (op === Op.join) this.#state[target] = 'over';
  }

  /** What is waited for in other ways than a lock is another object. */
  #targetOf(thread: number, op: Op, target: number): number {
    if (op === Op.begin || op === Op.end) return thread;
    return op >= Op.waitBegin && op <= Op.oncePass ? target + OBJECTS : target;
  }

  #isPossible(thread: number, op: Op, target: number): boolean {
    const holders = this.#holders[target]!;
    const readers = this.#readers[target]!;
    const isForeign = (who: number): boolean => who !== thread;
    if (op === Op.acquire) return !holders.some(isForeign) && readers.length === 0;
    if (op === Op.release) return holders.includes(thread);
    if (op === Op.acquireShared) return holders.length === 0;
    if (op === Op.releaseShared) return readers.includes(thread);
    if (op === Op.fork) return target !== thread && this.#state[target] === 'new';
    if (op === Op.join) return target !== thread;
    if (op === Op.begin) return this.#state[thread] !== 'running';
    return true;
  }
}

/** Events with names instead of numbers, which differ between equal traces. */
export function namedEvents(trace: ThreadTrace): string[] {
  const { threads, locks, variables, sites } = trace.tables;
  return Array.from({ length: trace.length }, (_, i) => {
    const [op, target] = [trace.opAt(i), trace.targetAt(i)];
    const isThread = op >= Op.fork;
    const isVariable = op <= Op.atomicUpdate;
    const name = isThread
      ? threads.row(target).name
      : isVariable
        ? variables.row(target).symbol
        : locks.row(target).symbol;
    const place = sites.row(trace.siteAt(i)).address;
    return `${threads.row(trace.threadAt(i)).name} ${op} ${name} ${place}`;
  });
}
