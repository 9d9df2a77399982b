/**
 * Our side of a program that is sampled (layout: agent/deadheat.h): the folder with the control, the channel and
 * the logs.
 *
 *   const sampling = createSampling(folder, { event: { kind: 'timer' }, period: 4e6, on: true });
 *   spawn(program, { env: { ...process.env, ...sampling.environment } });
 *   sampling.control.period = 8e6;      // threads heed it at their next sample
 *   sampling.control.figures()          // { samples: 250, … }
 *   sampling.control.on = true;         // for threads that are not sampled yet: and `wakeSampled(pid)`
 */
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import { err, ok, type Result, tryTo } from '../base/result.ts';
import { AgentChannel, createChannel } from './agent-channel.ts';
import { preloadVariable } from './agent-library.ts';
import {
  AgentProtocol,
  SAMPLING_CONTROL_SIZE,
  SamplingClock,
  SamplingControlAt,
  SamplingEvent,
} from './agent-protocol.ts';
import { allocateFile } from './allocate-file.ts';
import { mapShared, type NativeMemory, release } from './native-memory.ts';
import { ownFolder } from './own-process.ts';

const CONTROL = 'control';
/** <linux/perf_event.h> */
const PERF_TYPE_HARDWARE = 0;
/** Some hundred bytes for each process and each image that it loads. */
const CHANNEL_CAPACITY = 4 << 20;

/** What sends threads their signal. */
export type SamplingEventOption =
  | { readonly kind: 'timer' }
  /** As in struct perf_event_attr. */
  | {
      readonly kind: 'perf';
      readonly type: number;
      readonly config: bigint;
      readonly precise: number;
    };

export interface SamplingOptions {
  readonly event: SamplingEventOption;
  /** Nanoseconds of processor time for timers, else events. */
  readonly period: number;
  readonly on: boolean;
  /** Return addresses with each sample. */
  readonly stackWords?: number;
  /** Bytes of all logs together. */
  readonly maxLog?: number;
  /** As in `SamplingOption`. */
  readonly options?: number;
}

export interface SamplingFigures {
  /** Bytes of logs. */
  readonly logged: number;
  readonly samples: number;
  /** Samples that fell into the agent itself. */
  readonly missed: number;
  /** Processor time that handlers took. */
  readonly handlerNs: number;
  readonly lockOperations: number;
  readonly allocations: number;
  /** Operations by which threads meet: those that were logged, and those that had nothing new to tell. */
  readonly syncs: number;
  readonly silentSyncs: number;
}

const DEFAULT_MAX_LOG = 4 * 2 ** 30;

export class SamplingControl {
  readonly #memory: NativeMemory;
  readonly environment: Readonly<Record<string, string>>;

  constructor(path: string, memory: NativeMemory) {
    this.#memory = memory;
    this.environment = { [AgentProtocol.DH_SAMPLING_VARIABLE]: path };
  }

  get on(): boolean {
    return this.#memory.bytes.readUInt32LE(SamplingControlAt.on) !== 0;
  }

  /** Threads that are not sampled learn of it by their next allocation, or by `wakeSampled`. */
  set on(on: boolean) {
    this.#memory.bytes.writeUInt32LE(on ? 1 : 0, SamplingControlAt.on);
  }

  get period(): number {
    return this.#u64(SamplingControlAt.period);
  }

  set period(period: number) {
    this.#memory.bytes.writeBigUInt64LE(BigInt(Math.round(period)), SamplingControlAt.period);
  }

  get isTimer(): boolean {
    const event = this.#memory.bytes.readUInt32LE(SamplingControlAt.event);
    return event === SamplingEvent.DH_EVENT_TIMER;
  }

  /** By the processor's own counters, and not by a clock. */
  get isCounted(): boolean {
    const type = this.#memory.bytes.readUInt32LE(SamplingControlAt.perf_type);
    return !this.isTimer && type === PERF_TYPE_HARDWARE;
  }

  /** Threads that are being sampled go on by the earlier event until they are turned off and on again. */
  use(event: SamplingEventOption, period: number): void {
    writeEvent(this.#memory.bytes, event);
    this.period = period;
  }

  /** As in `SamplingClock`. */
  get clock(): number {
    return this.#memory.bytes.readUInt32LE(SamplingControlAt.clock);
  }

  figures(): SamplingFigures {
    return {
      logged: this.#u64(SamplingControlAt.logged),
      samples: this.#u64(SamplingControlAt.samples),
      missed: this.#u64(SamplingControlAt.missed),
      handlerNs: this.#u64(SamplingControlAt.handler_ns),
      lockOperations: this.#u64(SamplingControlAt.lock_operations),
      allocations: this.#u64(SamplingControlAt.allocations),
      syncs: this.#u64(SamplingControlAt.syncs),
      silentSyncs: this.#u64(SamplingControlAt.silent_syncs),
    };
  }

  close(): void {
    release(this.#memory);
  }

  #u64(at: number): number {
    return Number(this.#memory.bytes.readBigUInt64LE(at));
  }
}

export interface Sampling {
  /** Of the control file, which `openSampling` takes. */
  readonly path: string;
  readonly control: SamplingControl;
  readonly channel: AgentChannel;
  /** For the program: loads the agent, and tells it where the folder is. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Makes the folder, which must not be there yet. */
export function createSampling(folder: string, options: SamplingOptions): Sampling {
  const path = resolve(ownFolder(), folder, CONTROL);
  mkdirSync(encodeBytes(dirname(path)));
  // A program that begins as root may go on as somebody else, by a descriptor that it has kept; nobody else gets
  // past the folder around this one.
  if (process.geteuid?.() === 0) chmodSync(encodeBytes(dirname(path)), 0o777);
  const channel = createChannel(
    join(dirname(path), AgentProtocol.DH_SAMPLING_CHANNEL),
    CHANNEL_CAPACITY,
  );
  const control = new SamplingControl(path, createControl(path, options));
  const environment = { ...preloadVariable('sampling'), ...control.environment };
  return { path, control, channel: new AgentChannel(environment, channel), environment };
}

function createControl(path: string, given: SamplingOptions): NativeMemory {
  const fd = openSync(encodeBytes(path), 'wx+', 0o600);
  try {
    allocateFile(fd, SAMPLING_CONTROL_SIZE);
    const memory = mapShared(fd, SAMPLING_CONTROL_SIZE);
    const { bytes } = memory;
    bytes.writeUInt32LE(given.options ?? 0, SamplingControlAt.options);
    bytes.writeUInt32LE(given.on ? 1 : 0, SamplingControlAt.on);
    bytes.writeUInt32LE(bestClock(), SamplingControlAt.clock);
    bytes.writeBigUInt64LE(BigInt(Math.round(given.period)), SamplingControlAt.period);
    bytes.writeUInt32LE(given.stackWords ?? 0, SamplingControlAt.stack_words);
    bytes.writeBigUInt64LE(BigInt(given.maxLog ?? DEFAULT_MAX_LOG), SamplingControlAt.max_log);
    writeEvent(bytes, given.event);
    bytes.writeUInt32LE(AgentProtocol.DH_PROTOCOL, SamplingControlAt.protocol);
    bytes.writeUInt32LE(AgentProtocol.DH_SAMPLING_MAGIC, SamplingControlAt.magic);
    return memory;
  } finally {
    closeSync(fd);
  }
}

function writeEvent(bytes: Buffer, event: SamplingEventOption): void {
  bytes.writeUInt32LE(SamplingEvent.DH_EVENT_TIMER, SamplingControlAt.event);
  if (event.kind === 'timer') return;
  bytes.writeUInt32LE(SamplingEvent.DH_EVENT_PERF, SamplingControlAt.event);
  bytes.writeUInt32LE(event.type, SamplingControlAt.perf_type);
  bytes.writeUInt32LE(event.precise, SamplingControlAt.perf_precise);
  bytes.writeBigUInt64LE(event.config, SamplingControlAt.perf_config);
}

const CLOCK_SOURCE = '/sys/devices/system/clocksource/clocksource0/current_clocksource';

/** Where the kernel itself relies on it, the processor's counter runs evenly, and is the same on all processors. */
function bestClock(): number {
  const source = tryTo(() => readFileSync(CLOCK_SOURCE, 'latin1').trim());
  const isTsc = source.ok && source.value === 'tsc';
  return isTsc ? SamplingClock.DH_CLOCK_TSC : SamplingClock.DH_CLOCK_MONOTONIC;
}

/** The control of a program that runs already, given the path that its environment or its memory map has. */
export function openSampling(path: string): Result<SamplingControl, string> {
  const fd = tryTo(() => openSync(encodeBytes(path), 'r+'));
  if (!fd.ok) return err(fd.error.message);
  try {
    const memory = tryTo(() => mapShared(fd.value, SAMPLING_CONTROL_SIZE));
    if (!memory.ok) return err(memory.error.message);
    const { bytes } = memory.value;
    const protocol = bytes.readUInt32LE(SamplingControlAt.protocol);
    const isOurs = bytes.readUInt32LE(SamplingControlAt.magic) === AgentProtocol.DH_SAMPLING_MAGIC;
    if (isOurs && protocol === AgentProtocol.DH_PROTOCOL) {
      return ok(new SamplingControl(path, memory.value));
    }
    release(memory.value);
    return err(
      isOurs
        ? `it is of another version of deadheat (protocol ${protocol}, not ${AgentProtocol.DH_PROTOCOL})`
        : `${basename(path)} is not a control of sampling`,
    );
  } finally {
    closeSync(fd.value);
  }
}
