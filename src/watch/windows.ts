/**
 * The windows that are open: which runner is held before which access, and who has touched the same bytes since.
 *
 * Three nets are spread. Watchpoints, of which there are four for all windows together. Comparison of the bytes
 * before and after, for the rest of a long access, for windows that got no watchpoint, and for those who write
 * past the processor's notice, such as a kernel or another process: whoever is held has not run, so that any
 * change is somebody else's. And runners that stand in two windows at once, both before the same bytes.
 */
import { overlap } from '../binary/code/touched-memory.ts';
import type { ByteRange, CaughtRace, CaughtSide } from './caught.ts';
import type {
  DebugTarget,
  OpenedWindow,
  QuietWindow,
  Runner,
  RunnerRegisters,
  TargetEvent,
  Watch,
} from './debug-target.ts';
import type { Figures } from './figures.ts';
import { bytesTouched, isAround, whoTouched } from './other-side.ts';
import type { HitResult } from './sampled-function.ts';
import { DEBUG_REGISTERS, type WatchedAccess } from './watched-access.ts';
import type { PlacedInstruction, WatchedCode } from './watched-code.ts';

export interface Held {
  readonly runner: Runner;
  readonly registers: RunnerRegisters;
  /** Of the instruction that it stands before. */
  readonly address: bigint;
  readonly access: WatchedAccess;
  readonly heldSince: number;
}

interface Window extends Held {
  readonly before: Uint8Array;
  readonly watch: Watch | undefined;
  closesAt: number;
  isCaught: boolean;
  /** The bytes have changed, and whoever did it may be about to be told of. */
  isWaitingForCulprit: boolean;
}

/** A window that is over. */
export interface Closed {
  readonly address: bigint;
  readonly result: HitResult;
}

/** A stop that has happened is told of within this time. */
const CULPRIT_MS = 2;
/** The red zone below the stack pointer, and as much above it as most functions' frames have. */
const BELOW_STACK = 128n;
const ABOVE_STACK = 1n << 16n;

export class Windows {
  readonly #target: DebugTarget;
  readonly #code: WatchedCode;
  readonly #figures: Figures;
  readonly #caught: (race: CaughtRace) => Promise<unknown>;
  readonly #now: () => number;
  readonly #open = new Map<Runner, Window>();
  /** Until when a runner that was held is left alone: for as long as it was held. */
  readonly #leftAloneUntil = new Map<Runner, number>();

  constructor(
    target: DebugTarget,
    code: WatchedCode,
    figures: Figures,
    caught: (race: CaughtRace) => Promise<unknown>,
    now: () => number,
  ) {
    this.#target = target;
    this.#code = code;
    this.#figures = figures;
    this.#caught = caught;
    this.#now = now;
  }

  /** When the first one is to be closed. */
  get nextClose(): number {
    return Math.min(...[...this.#open.values()].map(({ closesAt }) => closesAt));
  }

  /** Nobody stands for more than half of the time, however much is asked for. */
  mayHold(runner: Runner): boolean {
    return this.#now() >= (this.#leftAloneUntil.get(runner) ?? Number.NEGATIVE_INFINITY);
  }

  /** False if there is nothing to watch: the access is about to fail, say. */
  async open(held: Held, windowMs: number): Promise<boolean> {
    const { runner, access } = held;
    const before = await this.#target.read(access.address, access.size, runner);
    if (before.length < access.size) return false;
    const watch = await this.#armed(held);
    const window = {
      ...held,
      ...{ before, watch, isCaught: false, isWaitingForCulprit: false },
      closesAt: this.#now() + windowMs,
    };
    this.#figures.windows++;
    if (watch === undefined) this.#figures.windowsWithoutRegister++;
    for (const other of this.#open.values()) await this.#compare(window, other);
    this.#open.set(runner, window);
    return true;
  }

  /** One that the target has opened by itself, when there was no other. */
  adopt(held: Held, { before, watch, openedAt }: OpenedWindow, windowMs: number): void {
    this.#figures.windows++;
    this.#open.set(held.runner, {
      ...held,
      ...{ before, watch, isCaught: false, isWaitingForCulprit: false },
      closesAt: openedAt + windowMs,
    });
  }

  /** One that the target has opened and closed by itself. */
  wasQuiet({ runner, registers, touched, heldSince, overAt }: QuietWindow): HitResult {
    this.#figures.windows++;
    this.#wasHeld(runner, heldSince, overAt);
    return isOnOwnStack(registers, touched) ? 'own-stack' : 'quiet';
  }

  /** From when on anybody may be held. */
  get allMayBeHeldFrom(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#leftAloneUntil.values());
  }

  /** Somebody stands behind an access to watched bytes. */
  async touched({ runner, watch, registers }: TargetEvent & { kind: 'watchpoint' }): Promise<void> {
    const window = [...this.#open.values()].find((one) => one.watch === watch);
    if (window !== undefined) {
      const { pieces, on } = window.access;
      const place = await whoTouched(this.#target, this.#code, registers, { pieces, on });
      // What it has touched, and for which window, is anybody's guess if it is not where it did so.
      const isElsewhere = place === undefined && this.#target.mayTellLate;
      if (place !== 'nobody' && !isElsewhere) {
        await this.#tell(window, 'watchpoint', sideOf(runner, registers, place, window.access));
      }
    }
    await this.#target.release(runner);
  }

  /** Its window, if it had one, is over without a result. */
  async lost(runner: Runner): Promise<Closed | undefined> {
    const window = this.#open.get(runner);
    this.#open.delete(runner);
    this.#leftAloneUntil.delete(runner);
    if (window?.watch) await this.#target.disarm(window.watch);
    return window && { address: window.address, result: 'unwatched' };
  }

  /** Those whose time is over, or that have caught somebody. */
  async closeDue(): Promise<Closed[]> {
    const closed: Closed[] = [];
    for (const window of [...this.#open.values()]) {
      if (!window.isCaught && this.#now() < window.closesAt) continue;
      const result = await this.#close(window);
      if (result !== undefined) closed.push({ address: window.address, result });
    }
    return closed;
  }

  async closeAll(): Promise<void> {
    for (const window of [...this.#open.values()]) {
      window.isWaitingForCulprit = true;
      await this.#close(window);
    }
  }

  async #armed({ runner, access }: Held): Promise<Watch | undefined> {
    const used = [...this.#open.values()].reduce(
      (sum, { watch }) => sum + (watch?.pieces.length ?? 0),
      0,
    );
    const pieces = access.pieces.slice(0, DEBUG_REGISTERS - used);
    return pieces.length === 0 ? undefined : this.#target.arm(pieces, access.on, runner);
  }

  /** undefined if it stays open a little longer. */
  async #close(window: Window): Promise<HitResult | undefined> {
    const { runner, watch, before } = window;
    if (!window.isCaught) {
      const { address, size } = window.access;
      const after = await this.#target.read(address, size, runner);
      // Memory that is gone says nothing.
      const isChanged = after.length === before.length && Buffer.compare(before, after) !== 0;
      if (isChanged && watch !== undefined && !window.isWaitingForCulprit) {
        window.isWaitingForCulprit = true;
        window.closesAt = this.#now() + CULPRIT_MS;
        return undefined;
      }
      if (isChanged) await this.#tell(window, 'value comparison', undefined);
    }
    this.#open.delete(runner);
    if (watch !== undefined) await this.#target.disarm(watch);
    await this.#target.release(runner);
    this.#wasHeld(runner, window.heldSince, this.#now());
    if (window.isCaught) return 'shared';
    return isOnOwnStack(window.registers, window.access.address) ? 'own-stack' : 'quiet';
  }

  #wasHeld(runner: Runner, since: number, until: number): void {
    this.#leftAloneUntil.set(runner, until + (until - since));
    this.#figures.heldMs += until - since;
  }

  /** Two that stand before their accesses at once: neither has waited for the other. */
  async #compare(window: Window, other: Window): Promise<void> {
    if (!overlap(window.access, other.access)) return;
    if (!window.access.isStore && !other.access.isStore) return;
    const { runner, registers, address, access } = window;
    const { isStore, isLoad } = access;
    const place = await this.#code.instructionAt(address);
    const side = { runner, registers, place, isStore, isLoad, touched: rangeOf(access) };
    await this.#tell(other, 'meeting', side);
    window.isCaught = true;
  }

  async #tell(
    window: Window,
    strategy: CaughtRace['strategy'],
    other: CaughtSide | undefined,
  ): Promise<void> {
    const { runner, registers, address, access, before } = window;
    window.isCaught = true;
    const place = await this.#code.instructionAt(address);
    // It was in a function that was taken apart when it was chosen; unless that is gone by now.
    if (place === undefined) return;
    const read = await this.#target.read(access.address, access.size, runner);
    const after = read.length === before.length ? read : before;
    const { isStore, isLoad } = access;
    const held = { runner, registers, place, isStore, isLoad, touched: rangeOf(access) };
    this.#figures.caught++;
    await this.#caught({ strategy, held, other, access, before, after });
  }
}

function sideOf(
  runner: Runner,
  registers: RunnerRegisters,
  place: PlacedInstruction | undefined,
  { on, pieces }: WatchedAccess,
): CaughtSide {
  // `push [rdi]` has two operands, of which the stack is not the one that was watched.
  const memory = place?.instruction.memory.filter((operand) => operand.place !== 'pushed') ?? [];
  const isCopy = memory.length > 1;
  const isTarget = isCopy && isAround(registers.get('rdi'), pieces);
  // What only stores are watched for was stored to.
  const isStore = on === 'store' || (isCopy ? isTarget : memory.some(({ isWritten }) => isWritten));
  const isLoad = isCopy ? !isTarget : memory.some(({ isRead }) => isRead);
  const touched = bytesTouched(place, registers, pieces);
  return { runner, registers, place, isStore, isLoad, touched };
}

const rangeOf = ({ address, size }: WatchedAccess): ByteRange => ({ address, size });

function isOnOwnStack(registers: RunnerRegisters, address: bigint): boolean {
  const stack = registers.get('rsp');
  return address >= stack - BELOW_STACK && address < stack + ABOVE_STACK;
}
