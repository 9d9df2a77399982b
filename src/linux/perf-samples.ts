/**
 * Samples of one thread, with its registers and the top of its stack, from the ring that the kernel writes them to:
 *
 *   const sampled = new SampledThread({ event: { type: 'software', name: 'cpu-clock' }, … }, 8);
 *   …
 *   sampled.ring.take()     // [{ thread: 4711, time: 81235n, registers, stack: { from: 0x7ffd…, bytes }, … }]
 *   sampled.close()
 *
 * What comes when the ring is full is lost, so that the first ones since it was emptied are there.
 */
import { type Pid, pid, type Tid, tid } from './ids.ts';
import { mapShared, type NativeMemory, release } from './native-memory.ts';
import {
  allowSamples,
  closeEvent,
  type EventOptions,
  openEvent,
  type PerfEventFd,
  SampleField,
} from './perf-event.ts';
import type { RegisterName } from './registers.ts';

/** `enum perf_event_x86_regs`, <asm/perf_regs.h>: by their bits; not the segments. */
const REGISTERS: readonly (readonly [bit: number, name: RegisterName])[] = [
  ...(['rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rbp', 'rsp', 'rip', 'eflags'] as const).map(
    (name, bit) => [bit, name] as const,
  ),
  ...(['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'] as const).map(
    (name, place) => [16 + place, name] as const,
  ),
];

const STACK_BYTES = 4096;

/** What an event has to be opened with for samples of this kind. */
const SAMPLED: Pick<EventOptions, 'sample' | 'userRegisters' | 'userStack' | 'monotonic'> = {
  sample:
    SampleField.instruction |
    SampleField.thread |
    SampleField.time |
    SampleField.userRegisters |
    SampleField.userStack,
  userRegisters: REGISTERS.reduce((mask, [bit]) => mask | (1n << BigInt(bit)), 0n),
  userStack: STACK_BYTES,
  monotonic: true,
};

export interface ThreadSample {
  readonly process: Pid;
  readonly thread: Tid;
  /** CLOCK_MONOTONIC, in nanoseconds. */
  readonly time: bigint;
  readonly registers: { get(name: RegisterName): bigint };
  /** As it was, from the stack pointer on. */
  readonly stack: { readonly from: bigint; readonly bytes: Buffer };
}

/** `struct perf_event_mmap_page`, <linux/perf_event.h>. */
const PageAt = { head: 1024, tail: 1032 } as const;
const PAGE = 4096;
/** `struct perf_event_header`, and PERF_RECORD_SAMPLE. */
const HEADER_SIZE = 8;
const SAMPLE = 9;
/** In the order of the bits: where it was, who, when; then whether there are registers. */
const SampleAt = { process: 8, thread: 12, time: 16, abi: 24, registers: 32 } as const;
const STACK_AT = SampleAt.registers + REGISTERS.length * 8;
const SAMPLE_SIZE = HEADER_SIZE + STACK_AT + 8 + STACK_BYTES + 8;

class SampleRing {
  /** So many samples it has room for. */
  readonly room: number;
  readonly #memory: NativeMemory;
  readonly #head: BigInt64Array;
  readonly #tail: BigInt64Array;

  /** `pages`: a power of two. */
  constructor(event: PerfEventFd, pages: number) {
    this.#memory = mapShared(event, PAGE + pages * PAGE);
    this.room = Math.floor((pages * PAGE) / SAMPLE_SIZE);
    const { buffer, byteOffset } = this.#memory.bytes;
    this.#head = new BigInt64Array(buffer, byteOffset + PageAt.head, 1);
    this.#tail = new BigInt64Array(buffer, byteOffset + PageAt.tail, 1);
  }

  /** Those that are new, of so many records; the kernel gets their room back. */
  take(): { readonly samples: readonly ThreadSample[]; readonly records: number } {
    const head = Atomics.load(this.#head, 0);
    const samples: ThreadSample[] = [];
    let records = 0;
    for (let at = Number(Atomics.load(this.#tail, 0)); at < Number(head); ) {
      const header = this.#copy(at, HEADER_SIZE);
      const size = header.readUInt16LE(6);
      if (size < HEADER_SIZE) break;
      const sample = header.readUInt32LE(0) === SAMPLE ? parse(this.#copy(at, size)) : undefined;
      if (sample) samples.push(sample);
      records++;
      at += size;
    }
    Atomics.store(this.#tail, 0, head);
    return { samples, records };
  }

  close(): void {
    release(this.#memory);
  }

  /** It may run over the end of the ring. */
  #copy(position: number, size: number): Buffer {
    const data = this.#memory.bytes.subarray(PAGE);
    const start = position % data.length;
    const first = data.subarray(start, start + size);
    return Buffer.concat([first, data.subarray(0, size - first.length)]);
  }
}

/** An event of a thread, with the ring that its samples go to: as many as there is room for, then it rests. */
export class SampledThread {
  readonly event: PerfEventFd;
  readonly ring: SampleRing;

  /** `pages`: a power of two. Throws a SystemError, and leaves nothing, if the kernel does not allow it. */
  constructor(options: Pick<EventOptions, 'event' | 'target' | 'every'>, pages: number) {
    this.event = openEvent({ ...options, startDisabled: true, ...SAMPLED });
    try {
      this.ring = new SampleRing(this.event, pages);
    } catch (error) {
      closeEvent(this.event);
      throw error;
    }
    allowSamples(this.event, this.ring.room);
  }

  close(): void {
    this.ring.close();
    closeEvent(this.event);
  }
}

function parse(record: Buffer): ThreadSample | undefined {
  const bytes = record.subarray(HEADER_SIZE);
  // Without registers there is no stack either.
  if (bytes.readBigUInt64LE(SampleAt.abi) === 0n) return undefined;
  const words = new Map(
    REGISTERS.map(([, name], place) => [
      name,
      bytes.readBigUInt64LE(SampleAt.registers + place * 8),
    ]),
  );
  const copied = Number(bytes.readBigUInt64LE(STACK_AT));
  const stackAt = STACK_AT + 8;
  const filled = copied === 0 ? 0 : Number(bytes.readBigUInt64LE(stackAt + copied));
  return {
    process: pid(bytes.readUInt32LE(SampleAt.process)),
    thread: tid(bytes.readUInt32LE(SampleAt.thread)),
    time: bytes.readBigUInt64LE(SampleAt.time),
    registers: { get: (name) => words.get(name) ?? 0n },
    stack: { from: words.get('rsp')!, bytes: bytes.subarray(stackAt, stackAt + filled) },
  };
}
