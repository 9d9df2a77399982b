/**
 * On which processor this thread runs. Who stands and waits for us has left its processor, which is idle now: there we
 * take nothing from anybody. Elsewhere we would take another thread's, with all that this one has in the caches.
 *
 *   T1 on 0, T2 on 1, we on 1; T1 stands     follow(T1): we on 0, T2 goes on undisturbed
 *
 * It is for this thread alone, but what it starts meanwhile would begin there as well: undo it before.
 */
import { readFileSync } from 'node:fs';
import { tryTo } from '../base/result.ts';
import type { Tid } from './ids.ts';
import { allocate } from './native-memory.ts';
import { rawSyscall } from './raw-syscall.ts';

/** Of a set of processors: for 8,192, as many as Linux has at most. */
const SET_BYTES = 1024;
/** Of /proc/TID/stat, counted from the field behind the name: see proc_pid_stat(5). */
const PROCESSOR_FIELD = 36;

const memory = allocate(4096);

/** Threads stay where they are, mostly: to ask each time would take longer than it saves. */
const ASK_AGAIN_MS = 500;
/** Then it begins anew: most of them have ended. */
const MOST_ASKED = 1000;

interface Asked {
  readonly processor: number | undefined;
  readonly at: number;
}

export class OwnProcessor {
  readonly #before: Buffer | undefined;
  readonly #asked = new Map<Tid, Asked>();
  #present: number | undefined;

  constructor() {
    const asked = tryTo(() => rawSyscall('sched_getaffinity', [0, SET_BYTES, memory.address]));
    this.#before = asked.ok ? Buffer.from(memory.bytes.subarray(0, SET_BYTES)) : undefined;
  }

  /** To where it ran last, if we may run there. */
  follow(task: Tid): void {
    const processor = this.#processorOf(task);
    if (processor === undefined || processor === this.#present) return;
    if (!this.#isAllowed(processor)) return;
    const only = Buffer.alloc(SET_BYTES);
    only[processor >> 3] = 1 << (processor & 7);
    if (tryTo(() => runOn(only)).ok) this.#present = processor;
  }

  undo(): void {
    if (this.#present === undefined) return;
    this.#present = undefined;
    void tryTo(() => runOn(this.#before!));
  }

  #processorOf(task: Tid): number | undefined {
    const now = performance.now();
    const known = this.#asked.get(task);
    if (known !== undefined && now < known.at + ASK_AGAIN_MS) return known.processor;
    const processor = processorOf(task);
    if (this.#asked.size >= MOST_ASKED) this.#asked.clear();
    this.#asked.set(task, { processor, at: now });
    return processor;
  }

  #isAllowed(processor: number): boolean {
    return ((this.#before?.[processor >> 3] ?? 0) & (1 << (processor & 7))) !== 0;
  }
}

/** The one that it runs on, or ran on last; undefined if there is no such thread. */
export function processorOf(task: Tid): number | undefined {
  const read = tryTo(() => readFileSync(`/proc/${task}/stat`, 'latin1'));
  if (!read.ok) return undefined;
  const field = read.value.slice(read.value.lastIndexOf(')') + 2).split(' ')[PROCESSOR_FIELD];
  return field === undefined ? undefined : Number(field);
}

function runOn(set: Buffer): void {
  set.copy(memory.bytes);
  rawSyscall('sched_setaffinity', [0, SET_BYTES, memory.address]);
}
