/**
 * Random traces of programs that could have run: everybody waits as the rules say, and a wait for a
 * condition is its four events. A list of wishes is played; what is impossible at its turn is left out.
 */
import fc from 'fast-check';
import { NONE, Op } from '../../model/op.ts';
import { ThreadTrace } from '../../model/trace.ts';

const THREADS = 3;
const OBJECTS = 2;

/** Numbers of locks by what they are; variables have numbers of their own. */
const FIRST = { mutex: 0, rwlock: 2, condition: 4, semaphore: 6, barrier: 8, once: 10 } as const;

/** What belongs together: a trace with a bit of everything would have too little of each. */
const THEMES = {
  mutexes: ['lock', 'unlock', 'section', 'emptySection', 'section'],
  readersAndWriters: ['lock', 'unlock', 'lockShared', 'unlockShared', 'sharedSection'],
  threads: ['fork', 'join'],
  conditions: ['lock', 'unlock', 'wait', 'goOn', 'goOn', 'signal', 'broadcast'],
  semaphores: ['post', 'waitDone', 'semaphoreSection', 'semaphoreSection'],
  barriers: ['arrive'],
  once: ['once'],
  atomics: ['atomicRead', 'atomicWrite', 'atomicUpdate'],
} as const;

export interface Wish {
  readonly thread: number;
  readonly what: 'read' | 'write' | (typeof THEMES)[keyof typeof THEMES][number];
  readonly object: number;
}

export function wishes(maxLength: number): fc.Arbitrary<readonly Wish[]> {
  const themes = fc.subarray(Object.keys(THEMES) as (keyof typeof THEMES)[], {
    minLength: 1,
    maxLength: 2,
  });
  return themes.chain((some) => {
    const kinds = some.flatMap((theme): readonly Wish['what'][] => THEMES[theme]);
    const wish = fc.record<Wish>({
      thread: fc.nat(THREADS - 1),
      what: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom('read' as const, 'write' as const) },
        { weight: 2, arbitrary: fc.constantFrom(...kinds) },
      ),
      object: fc.nat(OBJECTS - 1),
    });
    return fc.array(wish, { minLength: Math.floor(maxLength / 2), maxLength, size: 'max' });
  });
}

export function play(list: readonly Wish[]): ThreadTrace {
  const player = new Player(list.some(({ what }) => what === 'fork'));
  for (const wish of list) player.play(wish);
  return player.trace;
}

interface Wait {
  readonly condition: number;
  readonly mutex: number;
  isWoken: boolean;
}

class Player {
  readonly trace = new ThreadTrace();
  readonly #state: ('new' | 'forked' | 'running' | 'over')[];
  readonly #owners = new Map<number, number>();
  readonly #readers = new Map<number, Set<number>>();
  readonly #waits = new Map<number, Wait>();
  readonly #counts = new Map<number, number>();
  /** By barrier, for two: who has arrived. */
  readonly #arrived = new Map<number, Set<number>>();
  readonly #atBarrier = new Set<number>();
  readonly #done = new Set<number>();

  constructor(isForking: boolean) {
    const { threads, locks, variables, sites } = this.trace.tables;
    for (let i = 0; i < THREADS; i++) threads.add({ name: `t${i}`, process: 0, tid: 0 });
    for (let i = 0; i < 12; i++) locks.add({ kind: 'mutex', address: 0, symbol: `l${i}` });
    for (let i = 0; i < OBJECTS; i++) {
      variables.add({ address: 0, size: 0, allocation: NONE, symbol: `v${i}` });
    }
    sites.add({ module: NONE, address: 1, function: '', file: '', line: 0 });
    this.#state = ['running', 'running', isForking ? 'new' : 'running'];
  }

  play({ thread, what, object }: Wish): void {
    if (this.#state[thread] === 'new' || this.#state[thread] === 'over') return;
    if (this.#atBarrier.has(thread)) return;
    if (this.#waits.has(thread) && what !== 'goOn') return;
    this.#state[thread] = 'running';
    const add = (op: Op, target: number): void => this.trace.append(thread, op, target, 0);
    switch (what) {
      case 'read':
        return add(Op.read, object);
      case 'write':
        return add(Op.write, object);
      case 'atomicRead':
        return add(Op.atomicRead, object);
      case 'atomicWrite':
        return add(Op.atomicWrite, object);
      case 'atomicUpdate':
        return add(Op.atomicUpdate, object);
      case 'lock':
        if ((this.#owners.get(object) ?? thread) !== thread) return;
        if (this.#owners.get(object) === thread) return;
        this.#owners.set(object, thread);
        return add(Op.acquire, object + FIRST.mutex);
      case 'unlock':
        if (this.#owners.get(object) !== thread) return;
        this.#owners.delete(object);
        return add(Op.release, object + FIRST.mutex);
      case 'section':
      case 'emptySection':
        if (this.#owners.has(object)) return;
        add(Op.acquire, object + FIRST.mutex);
        if (what === 'section') add(Op.write, 0);
        return add(Op.release, object + FIRST.mutex);
      case 'sharedSection':
        if (this.#owners.has(FIRST.rwlock)) return;
        if (this.#readers.get(FIRST.rwlock)?.has(thread)) return;
        add(Op.acquireShared, FIRST.rwlock);
        add(object === 0 ? Op.read : Op.write, 0);
        return add(Op.releaseShared, FIRST.rwlock);
      case 'semaphoreSection':
        if ((this.#counts.get(object) ?? 1) === 0) return;
        add(Op.waitDone, object + FIRST.semaphore);
        add(Op.write, 0);
        return add(Op.post, object + FIRST.semaphore);
      case 'lockShared':
      case 'unlockShared':
        return this.#shared(thread, what === 'lockShared', FIRST.rwlock);
      case 'fork': {
        const child = this.#state.indexOf('new');
        if (child < 0) return;
        this.#state[child] = 'forked';
        return add(Op.fork, child);
      }
      case 'join': {
        const child = (thread + 1 + object) % THREADS;
        if (this.#state[child] === 'new' || this.#isBusy(child)) return;
        this.#state[child] = 'over';
        return add(Op.join, child);
      }
      case 'wait':
        return this.#wait(thread, object + FIRST.condition);
      case 'goOn':
        return this.#goOn(thread, object);
      case 'signal': {
        add(Op.signal, object + FIRST.condition);
        for (const wait of this.#waits.values()) {
          if (wait.condition !== object + FIRST.condition || wait.isWoken) continue;
          wait.isWoken = true;
          return;
        }
        return;
      }
      case 'broadcast':
        for (const wait of this.#waits.values()) {
          if (wait.condition === object + FIRST.condition) wait.isWoken = true;
        }
        return add(Op.broadcast, object + FIRST.condition);
      case 'post':
        this.#counts.set(object, (this.#counts.get(object) ?? 1) + 1);
        return add(Op.post, object + FIRST.semaphore);
      case 'waitDone': {
        const count = this.#counts.get(object) ?? 1;
        if (count === 0) return;
        this.#counts.set(object, count - 1);
        return add(Op.waitDone, object + FIRST.semaphore);
      }
      case 'arrive':
        return this.#arrive(thread, object + FIRST.barrier);
      case 'once': {
        const once = object + FIRST.once;
        if (this.#done.has(once)) return add(Op.oncePass, once);
        this.#done.add(once);
        add(Op.onceBegin, once);
        add(Op.write, object);
        return add(Op.onceEnd, once);
      }
    }
  }

  #isBusy(thread: number): boolean {
    return this.#waits.has(thread) || this.#atBarrier.has(thread);
  }

  /** One lock for readers and writers; a thread takes it alone if it has a mutex. */
  #shared(thread: number, isTaken: boolean, lock: number): void {
    const readers = this.#readers.get(lock) ?? new Set();
    this.#readers.set(lock, readers);
    const owner = this.#owners.get(lock);
    const isAlone = this.#owners.get(0) === thread;
    if (!isTaken && owner === thread) {
      this.#owners.delete(lock);
      this.trace.append(thread, Op.release, lock, 0);
    } else if (!isTaken && readers.delete(thread)) {
      this.trace.append(thread, Op.releaseShared, lock, 0);
    } else if (isTaken && isAlone && owner === undefined && readers.size === 0) {
      this.#owners.set(lock, thread);
      this.trace.append(thread, Op.acquire, lock, 0);
    } else if (isTaken && !isAlone && owner === undefined && !readers.has(thread)) {
      readers.add(thread);
      this.trace.append(thread, Op.acquireShared, lock, 0);
    }
  }

  #wait(thread: number, condition: number): void {
    const mutex = [0, 1].find((one) => this.#owners.get(one) === thread);
    if (mutex === undefined) return;
    this.#owners.delete(mutex);
    this.#waits.set(thread, { condition, mutex, isWoken: false });
    this.trace.append(thread, Op.waitBegin, condition, 0);
    this.trace.append(thread, Op.release, mutex, 0);
  }

  /** By itself only sometimes. */
  #goOn(thread: number, object: number): void {
    const wait = this.#waits.get(thread);
    if (wait === undefined || this.#owners.has(wait.mutex)) return;
    if (!wait.isWoken && object === 0) return;
    this.#waits.delete(thread);
    this.#owners.set(wait.mutex, thread);
    this.trace.append(thread, Op.acquire, wait.mutex, 0);
    this.trace.append(thread, Op.waitEnd, wait.condition, 0);
  }

  #arrive(thread: number, barrier: number): void {
    const arrived = (this.#arrived.get(barrier) ?? new Set()).add(thread);
    this.#arrived.set(barrier, arrived);
    this.#atBarrier.add(thread);
    this.trace.append(thread, Op.arrive, barrier, 0);
    if (arrived.size < 2) return;
    for (const one of arrived) {
      this.#atBarrier.delete(one);
      this.trace.append(one, Op.leave, barrier, 0);
    }
    this.#arrived.delete(barrier);
  }
}
