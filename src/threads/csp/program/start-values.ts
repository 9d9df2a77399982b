/**
 * How things are before the first step that is put in another order: at the beginning of the trace, or of
 * a window in it.
 *
 *   lock       0: nobody has it; thread + 1: that one alone; -n: n threads share it
 *   condition  of a thread: Waiting
 *   semaphore  its count            barrier   how many have arrived
 *   once       how often it was done, twice, and 1 if it is being done
 *   variable   the last store       fork, join   1 if the thread was forked, or has ended
 */
import type { Family, Step } from './step.ts';
import type { TraceSteps } from './trace-steps.ts';

export const Waiting = { no: 0, yes: 1, woken: 2 } as const;

export class StartValues {
  readonly #values = new Map<string, number>();

  constructor(steps: TraceSteps, from: number) {
    for (const [lock, owner] of steps.locks.firstOwners) this.#set('lock', lock, owner + 1);
    for (const [lock, count] of steps.locks.firstReaders) this.#set('lock', lock, -count);
    for (const [semaphore, count] of steps.firstCounts) this.#set('semaphore', semaphore, count);
    const waits = new Map<number, Step>();
    for (const step of steps.all) {
      if (step.at < from) this.#pass(step, waits);
      else this.#wakeBefore(step, from, waits);
    }
  }

  of(family: Family, object: number): number {
    return this.#values.get(`${family} ${object}`) ?? 0;
  }

  waiting(condition: number, thread: number): number {
    return this.#values.get(`condition ${condition} ${thread}`) ?? Waiting.no;
  }

  #pass(step: Step, waits: Map<number, Step>): void {
    const { kind, thread, object } = step;
    switch (kind) {
      case 'fork':
        this.#set('fork', object, 1);
        break;
      case 'end':
        this.#set('join', object, 1);
        break;
      case 'lock':
        this.#set('lock', object, thread + 1);
        break;
      case 'unlock':
        this.#set('lock', object, 0);
        break;
      case 'lockShared':
        this.#add('lock', object, -1);
        break;
      case 'unlockShared':
        this.#add('lock', object, 1);
        break;
      case 'waitBegin':
        this.#values.set(`condition ${object} ${thread}`, Waiting.yes);
        waits.set(thread, step);
        break;
      case 'woken':
      case 'lapsed':
        this.#values.delete(`condition ${object} ${thread}`);
        waits.delete(thread);
        break;
      case 'post':
        this.#add('semaphore', object, 1);
        break;
      case 'waitDone':
        this.#add('semaphore', object, -1);
        break;
      case 'arrive':
        this.#add('barrier', object, 1);
        break;
      case 'onceBegin':
      case 'onceEnd':
        this.#add('once', object, 1);
        break;
      case 'store':
      case 'update':
        this.#set('variable', object, step.make);
        break;
      case 'begin':
      case 'join':
      case 'waitEnd':
      case 'signal':
      case 'broadcast':
      case 'leave':
      case 'oncePass':
      case 'load':
        break;
    }
  }

  /** Somebody goes on after the window's beginning, but was signalled before. */
  #wakeBefore({ kind, thread, object, need }: Step, from: number, waits: Map<number, Step>): void {
    if (kind !== 'woken' || need >= from || waits.get(thread)?.object !== object) return;
    waits.delete(thread);
    this.#values.set(`condition ${object} ${thread}`, Waiting.woken);
  }

  #set(family: Family, object: number, value: number): void {
    this.#values.set(`${family} ${object}`, value);
  }

  #add(family: Family, object: number, change: number): void {
    this.#set(family, object, this.of(family, object) + change);
  }
}
