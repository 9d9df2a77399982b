/**
 * Watchpoints by ptrace: the debug registers of each thread, which has to stand for that. Those that run are
 * stopped, and go on at once. Those that sleep are stopped only in calls that go on afterwards as if nothing had
 * been; epoll_wait and the like would begin anew with their whole timeout, again and again. They cannot touch
 * anything anyway, and get the registers when they stop next for another reason, or are interrupted once they run.
 *
 * A thread is armed from a set of four slots that all share; one that has an old set in its registers is brought up
 * to date when it goes on, and until then what it touches is `late`.
 */
import { tryTo } from '../../base/result.ts';
import { firedSlots, unwatch, type WatchSlot, watch } from '../../linux/debug-registers.ts';
import { blockTrapAgain } from '../../linux/forced-trap.ts';
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { interrupt, signalCode } from '../../linux/ptrace.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { activityOf, sleepsInCall } from '../../linux/task-state.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import type { Watch, WatchedBytes } from '../debug-target.ts';
import type { ThreadWatchpoints, Touch, WatchRequest } from './thread-watchpoints.ts';

/** <asm-generic/siginfo.h> */
const TRAP_HWBKPT = 4;
const SLOTS: readonly WatchSlot[] = [0, 1, 2, 3];
/** Those whose sleep ends with EINTR for a tracer's sake, signal(7). */
const NOT_RESTARTED: ReadonlySet<number> = new Set(
  ['epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'rt_sigtimedwait', 'semop', 'semtimedop']
    .concat(['io_getevents', 'pselect6', 'ppoll', 'recvfrom', 'recvmsg', 'accept', 'accept4'])
    .map(syscallNumber),
);

interface Slot {
  readonly watch: Watch;
  readonly piece: WatchedBytes;
  readonly request: WatchRequest;
}

export class RegisterWatchpoints implements ThreadWatchpoints {
  readonly way = 'debug registers';
  readonly #slots = new Map<WatchSlot, Slot>();
  /** What each thread's registers hold. */
  readonly #held = new Map<Tid, Map<WatchSlot, Slot>>();
  readonly #used = new Set<Tid>();
  readonly #isFor: (task: Tid, watch: Watch) => boolean;

  /** `isFor`: whether a thread is to be watched in this way. */
  constructor(isFor: (task: Tid, watch: Watch) => boolean = () => true) {
    this.#isFor = isFor;
  }

  arm(request: WatchRequest, threads: Iterable<Tid>): Watch | undefined {
    const made = this.reserve(request);
    if (made === undefined) return undefined;
    for (const task of threads) {
      if (task !== request.holder && canBeStopped(task)) ignoringTheDead(() => interrupt(task));
    }
    return made;
  }

  /** The same, but only for those who stand anyway. */
  reserve(request: WatchRequest): Watch | undefined {
    const { pieces } = request;
    const free = SLOTS.filter((slot) => !this.#slots.has(slot));
    if (free.length < pieces.length) return undefined;
    const made: Watch = { pieces };
    pieces.forEach((piece, index) => {
      this.#slots.set(free[index]!, { watch: made, piece, request });
    });
    return made;
  }

  disarm(watch: Watch): void {
    for (const [slot, one] of this.#slots) if (one.watch === watch) this.#slots.delete(slot);
  }

  goesOn(task: Tid): void {
    const held = this.#held.get(task) ?? new Map<WatchSlot, Slot>();
    for (const slot of SLOTS) {
      const wanted = this.#slots.get(slot);
      const isFor = wanted !== undefined && this.#isWanted(task, wanted);
      if (held.get(slot) === (isFor ? wanted : undefined)) continue;
      if (isFor) {
        if (!arms(task, slot, wanted)) continue;
        held.set(slot, wanted);
        this.#used.add(task);
      } else {
        unwatch(task, slot);
        held.delete(slot);
      }
    }
    this.#held.set(task, held);
  }

  touchBy(task: Tid): Touch {
    if (signalCode(task) !== TRAP_HWBKPT) return undefined;
    const held = this.#held.get(task);
    const fired = firedSlots(task).flatMap((slot) => held?.get(slot) ?? []);
    if (fired.length === 0) return undefined;
    blockTrapAgain(task);
    const armed = fired.find((one) => [...this.#slots.values()].includes(one));
    return armed?.watch ?? 'late';
  }

  /** Whether its registers were ever used: the kernel keeps them for us then. */
  isUsedBy(task: Tid): boolean {
    return this.#used.has(task);
  }

  gone(task: Tid): void {
    this.#used.delete(task);
    this.#held.delete(task);
  }

  execed(): void {
    this.#slots.clear();
    this.#held.clear();
    this.#used.clear();
  }

  close(): void {
    this.#slots.clear();
  }

  #isWanted(task: Tid, { request, watch }: Slot): boolean {
    return request.holder !== task && this.#isFor(task, watch);
  }
}

/** False if the kernel has no register left for it. */
function arms(task: Tid, slot: WatchSlot, { piece, request }: Slot): boolean {
  const on = request.on === 'store' ? 'write' : 'read-or-write';
  const point = { address: traceeAddress(piece.address), size: piece.size, on } as const;
  return tryTo(() => watch(task, slot, point)).ok;
}

function canBeStopped(task: Tid): boolean {
  if (activityOf(task) === 'running') return true;
  const call = sleepsInCall(task);
  return call === undefined || !NOT_RESTARTED.has(call);
}
