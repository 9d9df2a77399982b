/**
 * Watchpoints by perf_event_open: the kernel puts them into the debug registers of threads that run, whatever
 * they do, and nobody has to be stopped for it. A thread that touches the bytes gets SIGTRAP before its next
 * instruction, and we, its tracer, see that.
 *
 *   arm     4 threads, one event each: about 80 µs    (with ptrace, which has to stop them: 250 µs)
 *   touch   SIGTRAP with TRAP_PERF and the word of the watch
 *
 * With SIGTRAP blocked, the signal would wait until it is not, or be taken by sigwait. Such threads get the watch
 * by ptrace (register-watchpoints.ts), but only when they stand anyway. All new threads do: the C library has
 * everything blocked while it makes them. What is touched inside of the kernel, as by read(2), is not seen.
 */
import { assert } from '../../base/assert.ts';
import { tryTo } from '../../base/result.ts';
import { type Tid, tid } from '../../linux/ids.ts';
import { closeEvent, openEvent, type PerfEventFd } from '../../linux/perf-event.ts';
import { trapCause } from '../../linux/ptrace.ts';
import { SystemError } from '../../linux/system-error.ts';
import type { Watch, WatchedBytes, WatchedFor } from '../debug-target.ts';
import { RegisterWatchpoints } from './register-watchpoints.ts';
import type { QuickWatch, ThreadWatchpoints, Touch, WatchRequest } from './thread-watchpoints.ts';
import { TrapBlockers } from './trap-blockers.ts';

/** <asm-generic/siginfo.h> */
const TRAP_PERF = 6;
/** Words of ours begin with this; a program may have events of its own. */
const MARK = 0xdead_4ea7n << 32n;

interface Armed extends WatchRequest {
  readonly word: bigint;
  readonly events: Map<Tid, PerfEventFd[]>;
}

export class PerfWatchpoints implements ThreadWatchpoints {
  readonly way = 'perf events';
  readonly #armed = new Map<Watch, Armed>();
  /**
   * As long as anybody has an event, opening another one is quick; the first one takes milliseconds, since the
   * kernel changes its own code for it.
   */
  readonly #keeper: PerfEventFd | undefined;
  /** For those who have no event. */
  readonly #registers = new RegisterWatchpoints(
    (task, watch) => !this.#armed.get(watch)?.events.has(task),
  );
  readonly #blockers = new TrapBlockers();
  #words = 0n;

  constructor() {
    const clock = { type: 'software', name: 'task-clock' } as const;
    const keeper = tryTo(() => openEvent({ event: clock, target: 0, startDisabled: true }));
    this.#keeper = keeper.ok ? keeper.value : undefined;
  }

  arm(request: WatchRequest, threads: Iterable<Tid>): Watch | undefined {
    const watch = this.#registers.reserve(request);
    if (watch === undefined) return undefined;
    const armed: Armed = { ...request, word: this.#newWord(), events: new Map() };
    for (const task of threads) {
      if (this.#add(armed, task)) continue;
      closeAll(armed);
      this.#registers.disarm(watch);
      return undefined;
    }
    this.#armed.set(watch, armed);
    return watch;
  }

  /** Those who have SIGTRAP blocked get nothing before they stop, as always; and that is told to us. */
  forQuick(threads: Iterable<Tid>): QuickWatch | undefined {
    if (this.#armed.size > 0) return undefined;
    const watched = [...threads].filter((task) => !this.#blockers.has(task));
    if (watched.some((task) => this.#registers.isUsedBy(task))) return undefined;
    return { word: this.#newWord(), threads: watched };
  }

  adopt(request: WatchRequest, word: bigint, events: ReadonlyMap<Tid, PerfEventFd[]>): Watch {
    const watch = this.#registers.reserve(request);
    assert(watch !== undefined, 'all registers are free while there is no other watch');
    this.#armed.set(watch, { ...request, word, events: new Map(events) });
    return watch;
  }

  disarm(watch: Watch): void {
    const armed = this.#armed.get(watch);
    if (armed) closeAll(armed);
    this.#armed.delete(watch);
    this.#registers.disarm(watch);
  }

  goesOn(task: Tid): void {
    for (const armed of this.#armed.values()) if (!armed.events.has(task)) this.#add(armed, task);
    this.#registers.goesOn(task);
  }

  touchBy(task: Tid): Touch {
    const { code, eventData, isLate } = trapCause(task);
    if (code !== TRAP_PERF) return this.#registers.touchBy(task);
    if ((eventData & (0xffff_ffffn << 32n)) !== MARK) return undefined;
    if (isLate) return 'late';
    for (const [watch, { word }] of this.#armed) if (word === eventData) return watch;
    return 'late';
  }

  gone(task: Tid): void {
    for (const { events } of this.#armed.values()) {
      for (const event of events.get(task) ?? []) closeEvent(event);
      events.delete(task);
    }
    this.#registers.gone(task);
    this.#blockers.forget(task);
  }

  execed(): void {
    this.#disarmAll();
    this.#registers.execed();
  }

  close(): void {
    this.#disarmAll();
    if (this.#keeper !== undefined) closeEvent(this.#keeper);
  }

  #newWord(): bigint {
    return MARK | this.#words++;
  }

  #disarmAll(): void {
    for (const watch of [...this.#armed.keys()]) this.disarm(watch);
  }

  /** False if the thread has no register left for it. */
  #add(armed: Armed, task: Tid): boolean {
    if (task === armed.holder || this.#blockers.has(task)) return true;
    const events: PerfEventFd[] = [];
    try {
      for (const piece of armed.pieces) events.push(open(task, piece, armed.on, armed.word));
    } catch (error) {
      for (const event of events) closeEvent(event);
      // It has ended just now, or has a register in use by the other way, and gets this one so, too.
      const code = error instanceof SystemError ? error.code : undefined;
      return code === 'ESRCH' || (code === 'ENOSPC' && this.#registers.isUsedBy(task));
    }
    armed.events.set(task, events);
    return true;
  }
}

/** Whether the kernel lets us watch threads of this process in this way. */
export function canUsePerf(process: number): boolean {
  const nowhere = { address: 0x1000n, size: 1 } as const;
  const opened = tryTo(() => open(tid(process), nowhere, 'store', MARK));
  if (opened.ok) closeEvent(opened.value);
  return opened.ok;
}

function open(task: Tid, piece: WatchedBytes, on: WatchedFor, word: bigint): PerfEventFd {
  const { address, size } = piece;
  const kind = on === 'store' ? 'write' : 'read-or-write';
  return openEvent({
    event: { type: 'breakpoint', address, size, on: kind },
    target: task,
    every: { events: 1 },
    signalData: word,
  });
}

function closeAll({ events }: Armed): void {
  for (const fds of events.values()) for (const fd of fds) closeEvent(fd);
  events.clear();
}
