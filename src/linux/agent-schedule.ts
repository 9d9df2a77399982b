/**
 * A program that synchronises in a given order: the file through which the agent learns that order, and
 * tells how far it has come (layout: agent/deadheat.h; how the agent keeps to it: agent/schedule.h).
 *
 *   const channel = openAgentChannel(folder, 1 << 20, AgentOption.DH_OPTION_SCHEDULE);
 *   const file = writeAgentSchedule(folder, { process: 1, threads: 2, objects: 1, racing: [], steps });
 *   spawn(program, { env: { ...process.env, ...channel.environment } });
 *   while (file.progress().turn < steps.length) …
 *   file.open();                              // from here on everybody goes on as they like
 *
 * Gates open by themselves when this process is gone, or after `deadline`.
 */
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { assert } from '../base/assert.ts';
import { encodeBytes } from '../base/bytes.ts';
import {
  AgentProtocol,
  DH_NO_STEP,
  GateOpen,
  GateState,
  LogOp,
  SCHEDULE_SIZE,
  SCHEDULED_OBJECT_SIZE,
  SCHEDULED_THREAD_SIZE,
  ScheduleAt,
  ScheduledObjectAt,
  ScheduledThreadAt,
  STEP_SIZE,
  StepAt,
  StepFlag,
} from './agent-protocol.ts';
import { allocateFile } from './allocate-file.ts';
import { type Tid, tid } from './ids.ts';
import { mapShared, type NativeMemory, release } from './native-memory.ts';
import { ownFolder } from './own-process.ts';
import { rawSyscall } from './raw-syscall.ts';

/** What a thread is to do in its turn. */
export interface ScheduledStep {
  /** The agent's number for it: 1 is the first. */
  readonly thread: number;
  /** `LogOp`. An ATOMIC is not for the agent: `pass` says that it was made. */
  readonly op: number;
  /** Objects are numbered from 0; of FORK and JOIN it is the other thread. Undefined for BEGIN and ATOMIC. */
  readonly object: number | undefined;
  /** Of WAIT_BEGIN and WAIT_END: the object that is the mutex. */
  readonly mutex?: number;
  /** Of WAIT_END: nobody has signalled it, so that it ends by its time limit or a cancellation. */
  readonly isLapsed?: boolean;
  /** It is left out if the thread does something else. */
  readonly isOptional?: boolean;
}

export interface AgentSchedule {
  /** The agent's number for the process that follows it: 1 is the first. Others do as they like. */
  readonly process: number;
  /** Threads have the numbers 1 to this; what else is started is numbered after them. */
  readonly threads: number;
  readonly objects: number;
  /** What these threads only try (trylock, a timed lock) is left to them even after their last step. */
  readonly racing: readonly number[];
  /** One after the other. */
  readonly steps: readonly ScheduledStep[];
}

export type OpenReason = 'by-deadheat' | 'diverged' | 'orphaned' | 'late';

/** A thread did something else than its next step, and everything was let go. */
export interface Divergence {
  readonly thread: number;
  /** The step that was expected; undefined if it had none left. */
  readonly turn: number | undefined;
  /** What it did: `LogOp`, the object's address (for JOIN: the thread's number), and the return address. */
  readonly op: number;
  readonly object: number;
  readonly caller: number;
}

export type GateStanding = 'not-begun' | 'running' | 'waiting' | 'held' | 'ended';

export interface ThreadProgress {
  readonly thread: number;
  /** Undefined until it has begun. */
  readonly tid: Tid | undefined;
  /** `waiting` for the turn of its next step, or `held`, since it has none left. */
  readonly standing: GateStanding;
  /** How many of its steps it has made, and the next one. ATOMIC ones are not counted. */
  readonly done: number;
  readonly next: number | undefined;
  readonly isFree: boolean;
  /** What it is about to do, if it is waiting or held. As in `Divergence`. */
  readonly at:
    | { readonly op: number; readonly object: number; readonly caller: number }
    | undefined;
}

export interface ScheduleProgress {
  /** The step whose turn it is; as many as there are steps: all are done. */
  readonly turn: number;
  readonly open: OpenReason | undefined;
  readonly divergence: Divergence | undefined;
}

/** Threads that the schedule does not know are held at their first operation, too, as long as there is room. */
const FURTHER_THREADS = 64;

const STANDINGS: readonly GateStanding[] = ['not-begun', 'running', 'waiting', 'held', 'ended'];
const OPEN_REASONS: Readonly<Record<number, OpenReason>> = {
  [GateOpen.DH_OPEN_BY_DEADHEAT]: 'by-deadheat',
  [GateOpen.DH_OPEN_DIVERGED]: 'diverged',
  [GateOpen.DH_OPEN_ORPHANED]: 'orphaned',
  [GateOpen.DH_OPEN_LATE]: 'late',
};

/** <linux/futex.h> */
const FUTEX_WAKE_BITSET = 10;
const EVERYBODY = 0xffff_ffff;
const ALL = 0x7fff_ffff;

export class AgentScheduleFile {
  readonly #memory: NativeMemory;
  readonly #words: Int32Array;
  readonly #schedule: AgentSchedule;
  readonly #slots: number;

  constructor(memory: NativeMemory, schedule: AgentSchedule, slots: number) {
    this.#memory = memory;
    const { buffer, byteOffset, length } = memory.bytes;
    this.#words = new Int32Array(buffer, byteOffset, length >>> 2);
    this.#schedule = schedule;
    this.#slots = slots;
  }

  get turn(): number {
    return Atomics.load(this.#words, ScheduleAt.turn / 4) >>> 0;
  }

  progress(): ScheduleProgress {
    const { bytes } = this.#memory;
    const open = Atomics.load(this.#words, ScheduleAt.open / 4);
    const hasDiverged = Atomics.load(this.#words, ScheduleAt.diverged / 4) !== 0;
    return {
      turn: this.turn,
      open: OPEN_REASONS[open],
      divergence: hasDiverged
        ? {
            thread: bytes.readUInt32LE(ScheduleAt.diverged_thread),
            turn: stepOrNone(bytes.readUInt32LE(ScheduleAt.diverged_turn)),
            op: bytes.readUInt32LE(ScheduleAt.diverged_op),
            object: Number(bytes.readBigUInt64LE(ScheduleAt.diverged_object)),
            caller: Number(bytes.readBigUInt64LE(ScheduleAt.diverged_caller)),
          }
        : undefined,
    };
  }

  /** Undefined for a number that nobody has room for. */
  thread(thread: number): ThreadProgress | undefined {
    if (thread < 1 || thread > this.#slots) return undefined;
    const { bytes } = this.#memory;
    const at = slotAt(thread);
    const word = (field: number): number => Atomics.load(this.#words, (at + field) / 4) >>> 0;
    const state = word(ScheduledThreadAt.state);
    const isAtGate = state === GateState.DH_GATE_WAITING || state === GateState.DH_GATE_HELD;
    const id = word(ScheduledThreadAt.tid);
    return {
      thread,
      tid: id === 0 ? undefined : tid(id),
      standing: STANDINGS[state] ?? 'running',
      done: word(ScheduledThreadAt.done),
      next: stepOrNone(word(ScheduledThreadAt.next)),
      isFree: word(ScheduledThreadAt.free) !== 0,
      at: isAtGate
        ? {
            op: word(ScheduledThreadAt.op),
            object: Number(bytes.readBigUInt64LE(at + ScheduledThreadAt.object)),
            caller: Number(bytes.readBigUInt64LE(at + ScheduledThreadAt.caller)),
          }
        : undefined,
    };
  }

  /** All that have begun so far. */
  threads(): ThreadProgress[] {
    return Array.from({ length: this.#slots }, (_, i) => this.thread(i + 1)!).filter(
      ({ tid }) => tid !== undefined,
    );
  }

  /** Where an object of the schedule is in this run; undefined until a step was about it. */
  addressOf(object: number): number | undefined {
    const at = objectAt(this.#slots, object) + ScheduledObjectAt.address;
    return Number(this.#memory.bytes.readBigUInt64LE(at)) || undefined;
  }

  /** The step whose turn it is, an ATOMIC, was made. */
  pass(): void {
    const { turn } = this;
    const { steps } = this.#schedule;
    assert(steps[turn]?.op === LogOp.DH_OP_ATOMIC, 'only atomic accesses are passed from outside');
    Atomics.store(this.#words, ScheduleAt.turn / 4, turn + 1);
    const next = steps[turn + 1];
    if (next !== undefined) this.#wake(1 << (next.thread % 32));
  }

  /** Nobody is held back any more, for good. */
  open(): void {
    Atomics.compareExchange(
      this.#words,
      ScheduleAt.open / 4,
      GateOpen.DH_OPEN_NOT,
      GateOpen.DH_OPEN_BY_DEADHEAT,
    );
    this.#wake(EVERYBODY);
  }

  /** This thread is not held back any more; its steps will not be made. */
  free(thread: number): void {
    assert(thread >= 1 && thread <= this.#slots, 'a thread without a place in the schedule');
    Atomics.store(this.#words, (slotAt(thread) + ScheduledThreadAt.free) / 4, 1);
    this.#wake(1 << (thread % 32));
  }

  /** Before the file is left to the program. */
  close(): void {
    release(this.#memory);
  }

  #wake(bits: number): void {
    Atomics.add(this.#words, ScheduleAt.changes / 4, 1);
    const word = this.#memory.address + BigInt(ScheduleAt.changes);
    rawSyscall('futex', [word, FUTEX_WAKE_BITSET, ALL, 0, 0, bits >>> 0]);
  }
}

/** `deadline`: of CLOCK_MONOTONIC in nanoseconds, as `process.hrtime.bigint()` has it. */
export function writeAgentSchedule(
  folder: string,
  schedule: AgentSchedule,
  deadline = 0n,
): AgentScheduleFile {
  const slots = schedule.threads + FURTHER_THREADS;
  const size = stepAt(slots, schedule.objects, schedule.steps.length);
  const fd = openSync(encodeBytes(resolve(ownFolder(), folder, 'schedule')), 'wx+', 0o600);
  try {
    allocateFile(fd, size);
    const memory = mapShared(fd, size);
    fill(memory.bytes, schedule, slots);
    memory.bytes.writeBigUInt64LE(deadline, ScheduleAt.deadline);
    return new AgentScheduleFile(memory, schedule, slots);
  } finally {
    closeSync(fd);
  }
}

function fill(bytes: Buffer, schedule: AgentSchedule, slots: number): void {
  const { objects, steps } = schedule;
  const header: readonly (readonly [at: number, value: number])[] = [
    [ScheduleAt.magic, AgentProtocol.DH_SCHEDULE_MAGIC],
    [ScheduleAt.protocol, AgentProtocol.DH_PROTOCOL],
    [ScheduleAt.process, schedule.process],
    [ScheduleAt.pid, process.pid],
    [ScheduleAt.threads, slots],
    [ScheduleAt.announced, schedule.threads],
    [ScheduleAt.objects, objects],
    [ScheduleAt.steps, steps.length],
  ];
  for (const [at, value] of header) bytes.writeUInt32LE(value, at);
  for (let thread = 1; thread <= slots; thread++) {
    bytes.writeUInt32LE(DH_NO_STEP, slotAt(thread) + ScheduledThreadAt.next);
  }
  for (const thread of schedule.racing) {
    bytes.writeUInt32LE(1, slotAt(thread) + ScheduledThreadAt.races);
  }
  // Backwards, so that each step knows the next one of its thread.
  for (let turn = steps.length - 1; turn >= 0; turn--) {
    const step = steps[turn]!;
    assert(step.thread >= 1 && step.thread <= schedule.threads, 'a step of nobody');
    const at = stepAt(slots, objects, turn);
    const next = slotAt(step.thread) + ScheduledThreadAt.next;
    bytes.writeUInt32LE(step.thread, at + StepAt.thread);
    bytes.writeUInt16LE(step.op, at + StepAt.op);
    bytes.writeUInt16LE(flagsOf(step), at + StepAt.flags);
    bytes.writeUInt32LE(step.object ?? DH_NO_STEP, at + StepAt.object);
    bytes.writeUInt32LE(step.mutex ?? DH_NO_STEP, at + StepAt.mutex);
    bytes.writeUInt32LE(bytes.readUInt32LE(next), at + StepAt.next);
    if (step.op !== LogOp.DH_OP_ATOMIC) bytes.writeUInt32LE(turn, next);
  }
  for (const [turn, step] of steps.entries()) {
    for (const object of objectsOf(step)) {
      assert(object < objects, 'a step with an object that there is not');
      bytes.writeUInt32LE(turn, objectAt(slots, object) + ScheduledObjectAt.last_turn);
    }
  }
}

const flagsOf = ({ isLapsed, isOptional }: ScheduledStep): number =>
  (isLapsed ? StepFlag.DH_STEP_LAPSED : 0) | (isOptional ? StepFlag.DH_STEP_OPTIONAL : 0);

function objectsOf({ op, object, mutex }: ScheduledStep): number[] {
  const isThread = op === LogOp.DH_OP_FORK || op === LogOp.DH_OP_JOIN;
  return [isThread ? undefined : object, mutex].filter((one) => one !== undefined);
}

const slotAt = (thread: number): number => SCHEDULE_SIZE + (thread - 1) * SCHEDULED_THREAD_SIZE;
const objectAt = (slots: number, object: number): number =>
  slotAt(slots + 1) + object * SCHEDULED_OBJECT_SIZE;
const stepAt = (slots: number, objects: number, turn: number): number =>
  objectAt(slots, objects) + turn * STEP_SIZE;
const stepOrNone = (step: number): number | undefined => (step === DH_NO_STEP ? undefined : step);
