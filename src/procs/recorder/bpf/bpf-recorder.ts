/**
 * Records a process tree with programs inside the kernel, at about a microsecond a call; nothing
 * stops, and the recorded programs cannot notice it. Gives the same records as ptrace-recorder.ts.
 *
 *   const root = spawnStopped(command);
 *   const recorder = new BpfRecorder();
 *   recorder.start(root, { append: (record) => writer.append(record) });
 *   sendSignal(root, Signal.SIGCONT);            // recording begins with its exec
 *   while (recorder.isAlive()) { recorder.poll(); … }
 *   const { droppedEvents } = recorder.stop();
 *
 * If the ring is not read in time, events are lost and counted; such a recording has holes and must
 * not be analysed. Needs root, or CAP_BPF and CAP_PERFMON, and the outermost pid namespace.
 */
import {
  type BpfMap,
  closeBpf,
  insert,
  type LinkFd,
  type ProgramFd,
  remove,
  update,
} from '../../../linux/bpf.ts';
import { readKernelTypes } from '../../../linux/btf.ts';
import type { Pid, Tid } from '../../../linux/ids.ts';
import { requireOutermostNamespace } from '../../../linux/outermost-namespace.ts';
import { leaderOf } from '../../../linux/spawn.ts';
import { type BpfObserver, Consumer } from './consumer.ts';
import { FIRST_SEQUENCE } from './event-reader.ts';
import { kernelOffsets } from './kernel-offsets.ts';
import { Phase, TaskState } from './layout.ts';
import { attachRecorderProgram, loadRecorderProgram, PROGRAMS } from './programs.ts';
import { createMaps, ONLY_KEY, type RecorderMaps } from './recorder-maps.ts';

export interface BpfOptions {
  /** A power of two, of at least a page. */
  ringBytes?: number;
}

/** The kernel makes it ready before the program starts; that takes a millisecond for two megabytes. */
const DEFAULT_RING = 32 << 20;

/** Two for each task that is there when a recording begins. */
const RESERVED_SEQUENCES = 1_000_000;

const NOBODY: ReadonlySet<Tid> = new Set();

export class BpfRecorder {
  readonly #maps: BpfMap[] = [];
  readonly #programs: ProgramFd[] = [];
  readonly #links: LinkFd[] = [];
  #tasks: BpfMap | undefined;
  #consumer: Consumer | undefined;

  /** `root` is stopped, and becomes the program to be recorded by its next exec. */
  start(root: Pid, observer: BpfObserver, options: BpfOptions = {}): void {
    this.#begin(observer, options, FIRST_SEQUENCE, () => {
      this.#consumer!.expectInput(leaderOf(root));
      this.#track(leaderOf(root), Phase.beforeExec);
    });
  }

  /** For tasks that run already, which `track` adds; the numbers below RESERVED are the caller's. */
  startWithoutRoot(observer: BpfObserver, options: BpfOptions = {}): void {
    this.#begin(observer, options, RESERVED_SEQUENCES, () => {});
  }

  /**
   * Adds a task that runs already; what it does from now on is recorded, without a start record.
   * False if it is recorded anyway, because its parent is.
   */
  track(task: Tid): boolean {
    return this.#track(task, Phase.outsideCalls);
  }

  /** Takes back `track` for a task that had ended by then; its end will not be seen. */
  forget(task: Tid): void {
    if (this.#tasks && remove(this.#tasks, keyOf(task))) this.#consumer?.discount(task);
  }

  /** Passes on what was recorded since the last time; how many events that were. */
  poll(): number {
    return this.#consumer?.poll() ?? 0;
  }

  /** The same, but only a piece of it. */
  pollPiece(): number {
    return this.#consumer?.readPiece() ?? 0;
  }

  /** Makes room in the ring, without passing on what was in it. */
  collect(): void {
    this.#consumer?.collect();
  }

  /** How full the ring is, from 0 to 1. */
  get fullness(): number {
    return this.#consumer?.fullness ?? 0;
  }

  /** Bytes that were collected and not passed on. */
  get collected(): number {
    return this.#consumer?.collected ?? 0;
  }

  /** Whether any recorded task, or the root before its exec, is alive. */
  isAlive(): boolean {
    return this.aliveTasks > 0;
  }

  /** Who is alive, as of what was read last. Survives a thread's taking over its process's number. */
  get living(): ReadonlySet<Tid> {
    return this.#consumer?.living ?? NOBODY;
  }

  get aliveTasks(): number {
    return this.#consumer?.aliveTasks ?? 0;
  }

  /** Ends the recording, but not the programs. */
  stop(): { droppedEvents: number } {
    try {
      this.#detach();
      return { droppedEvents: this.#consumer?.finish() ?? 0 };
    } finally {
      this.#close();
    }
  }

  #load(maps: RecorderMaps): void {
    const types = readKernelTypes();
    const offsets = kernelOffsets(types);
    for (const program of PROGRAMS) {
      this.#programs.push(loadRecorderProgram(program, maps, types, offsets));
    }
  }

  #begin(
    observer: BpfObserver,
    { ringBytes = DEFAULT_RING }: BpfOptions,
    firstSequence: number,
    track: () => void,
  ): void {
    requireOutermostNamespace();
    try {
      const maps = createMaps(ringBytes, (map) => {
        this.#maps.push(map);
        return map;
      });
      this.#tasks = maps.tasks;
      this.#consumer = new Consumer(maps, observer, firstSequence);
      this.#load(maps);
      track();
      for (const [index, program] of PROGRAMS.entries()) {
        const fd = this.#programs[index]!;
        if (program.called) update(maps.called, ONLY_KEY, fdBytes(fd));
        else this.#links.push(attachRecorderProgram(fd, program));
      }
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  #track(task: Tid, phase: number): boolean {
    const state = Buffer.alloc(TaskState.size);
    state.writeUInt32LE(phase, TaskState.phase);
    // Counted first: once it is there, the kernel may see its end and count it out.
    this.#consumer!.count(task);
    if (insert(this.#tasks!, keyOf(task), state)) return true;
    this.#consumer!.discount(task);
    return false;
  }

  #detach(): void {
    for (const link of this.#links.splice(0)) closeBpf(link);
  }

  #close(): void {
    this.#detach();
    this.#consumer?.close();
    this.#consumer = undefined;
    for (const program of this.#programs.splice(0)) closeBpf(program);
    for (const map of this.#maps.splice(0)) closeBpf(map);
  }
}

function fdBytes(fd: ProgramFd): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(fd);
  return bytes;
}

function keyOf(task: Tid): Buffer {
  const key = Buffer.alloc(4);
  key.writeUInt32LE(task);
  return key;
}
