/**
 * A machine in memory, to be watched: a few threads, each a function that runs over and over, made of real
 * instructions of which it understands just these:
 *
 *   mov eax,[rbx+d]   mov [rbx+d],eax   mov [rbx+d],al   add dword ptr [rbx+d],n   lock add …   inc eax
 *   mov ecx,n; syscall     takes lock n, or gives it back if n is negative
 *   jmp                    back to the start
 *
 * Time goes on by a step for each instruction, and who runs next is drawn by lot, so that a test comes out the
 * same however fast the real machine is.
 */
import { assert } from '../../base/assert.ts';
import type { RegisterName } from '../../linux/registers.ts';
import type { Site } from '../../report/model.ts';
import type {
  CodeFunction,
  DebugTarget,
  Runner,
  RunnerName,
  TargetEvent,
  Watch,
  WatchedBytes,
  WatchedFor,
} from '../debug-target.ts';
import { SeededRandom } from '../random.ts';

export const CODE = 0x40_0000n;
export const FUNCTION_SIZE = 0x1000n;
export const DATA = 0x60_0000n;
const DATA_SIZE = 256;
const STEP_MS = 0.02;

interface Thread {
  readonly runner: Runner;
  readonly registers: Partial<Record<RegisterName, bigint>>;
  /** Waits for this lock. */
  waitsFor: number | undefined;
  isHeld: boolean;
  /** Has to execute the instruction that it stands before, breakpoint or not. */
  isPassing: boolean;
}

interface Armed extends Watch {
  readonly on: WatchedFor;
  readonly holder: Runner;
}

export class SimulatedTarget implements DebugTarget {
  now = 0;
  /** Everything that must be as it was when nobody watches any more. */
  readonly planted = new Set<bigint>();
  readonly armed = new Set<Armed>();
  readonly data = Buffer.alloc(DATA_SIZE);
  readonly #code: readonly Buffer[];
  readonly #threads: readonly Thread[];
  readonly #owners = new Map<number, Runner>();
  readonly #endsAt: number;
  readonly #random: SeededRandom;
  #isWoken = false;
  /** As if nobody had debug registers. */
  hasRegisters = true;
  /** Whoever touches watched bytes is told of when it has executed another instruction. */
  mayTellLate = false;

  constructor(code: readonly Uint8Array[], endsAt: number, seed: number) {
    this.#code = code.map((bytes) => Buffer.from(bytes));
    this.#endsAt = endsAt;
    this.#random = new SeededRandom(seed);
    this.#threads = code.map((_, index) => ({
      runner: index + 1,
      registers: { rip: startOf(index), rbx: DATA, rax: BigInt(index), rsp: 0x7fff0000n },
      ...{ waitsFor: undefined, isHeld: false, isPassing: false },
    }));
  }

  get heldCount(): number {
    return this.#threads.filter(({ isHeld }) => isHeld).length;
  }

  async functions(): Promise<CodeFunction[]> {
    return this.#code.map((bytes, index) => ({
      name: `thread${index + 1}`,
      module: 'simulated',
      start: startOf(index),
      end: startOf(index) + BigInt(bytes.length),
    }));
  }

  async functionAt(address: bigint): Promise<CodeFunction | undefined> {
    return (await this.functions()).find(({ start, end }) => address >= start && address < end);
  }

  async read(address: bigint, size: number): Promise<Uint8Array> {
    if (address >= DATA && address < DATA + BigInt(DATA_SIZE)) {
      const from = Number(address - DATA);
      return Uint8Array.from(this.data.subarray(from, from + size));
    }
    const index = Number((address - CODE) / FUNCTION_SIZE);
    const from = Number((address - CODE) % FUNCTION_SIZE);
    return this.#code[index]?.subarray(from, from + size) ?? new Uint8Array();
  }

  async plant(addresses: readonly bigint[]): Promise<readonly bigint[]> {
    for (const address of addresses) this.planted.add(address);
    return addresses;
  }

  async unplant(addresses: readonly bigint[]): Promise<void> {
    for (const address of addresses) this.planted.delete(address);
  }

  wake(): void {
    this.#isWoken = true;
  }

  async next(deadline: number): Promise<TargetEvent> {
    for (;;) {
      if (this.now >= this.#endsAt) return { kind: 'ended', end: { code: 0 } };
      if (this.#isWoken || this.now >= deadline) {
        this.#isWoken = false;
        return { kind: 'deadline' };
      }
      this.now += STEP_MS;
      const able = this.#threads.filter((one) => !one.isHeld && this.#canGoOn(one));
      const thread = able[Math.floor(this.#random.next() * able.length)];
      if (thread === undefined) continue;
      const event = this.#step(thread);
      if (event !== undefined) return event;
    }
  }

  async arm(
    pieces: readonly WatchedBytes[],
    on: WatchedFor,
    holder: Runner,
  ): Promise<Watch | undefined> {
    if (!this.hasRegisters) return undefined;
    const used = [...this.armed].reduce((sum, { pieces }) => sum + pieces.length, 0);
    assert(used + pieces.length <= 4, 'there are four debug registers');
    for (const { address, size } of pieces) assert(address % BigInt(size) === 0n, 'aligned');
    const armed = { pieces, on, holder };
    this.armed.add(armed);
    return armed;
  }

  async disarm(watch: Watch): Promise<void> {
    assert(this.armed.delete(watch as Armed), 'was armed');
  }

  async release(runner: Runner): Promise<void> {
    const thread = this.#threads[runner - 1]!;
    assert(thread.isHeld, 'was held');
    thread.isHeld = false;
    thread.isPassing = true;
  }

  othersRunning(): number {
    return this.#threads.filter(({ isHeld }) => !isHeld).length;
  }

  async who(runner: Runner): Promise<RunnerName> {
    return { process: 'simulated', pid: 1, thread: runner, threadName: `T${runner}` };
  }

  async stack(_runner: Runner, registers: { get(name: RegisterName): bigint }): Promise<Site[]> {
    return this.sitesAt(registers.get('rip'));
  }

  async sitesAt(address: bigint): Promise<Site[]> {
    return [{ module: 'simulated', address: `0x${address.toString(16)}` }];
  }

  async dataName(address: bigint): Promise<string> {
    return `data+${address - DATA}`;
  }

  async leave(): Promise<void> {
    this.planted.clear();
    this.armed.clear();
  }

  #canGoOn({ waitsFor }: Thread): boolean {
    return waitsFor === undefined || !this.#owners.has(waitsFor);
  }

  #step(thread: Thread): TargetEvent | undefined {
    const { runner, registers } = thread;
    const address = registers.rip!;
    if (this.planted.has(address) && !thread.isPassing) {
      thread.isHeld = true;
      return { kind: 'breakpoint', runner, address, registers: copyOf(registers) };
    }
    thread.isPassing = false;
    const touched = this.#execute(thread);
    const watch = [...this.armed].find(
      ({ holder, pieces, on }) =>
        holder !== runner &&
        touched !== undefined &&
        (touched.isStore || on === 'load-or-store') &&
        pieces.some((piece) => doOverlap(piece, touched)),
    );
    if (watch === undefined) return undefined;
    if (this.mayTellLate) this.#execute(thread);
    thread.isHeld = true;
    return { kind: 'watchpoint', runner, watch, registers: copyOf(registers) };
  }

  #execute(thread: Thread): { address: bigint; size: number; isStore: boolean } | undefined {
    const { registers, runner } = thread;
    const index = Number((registers.rip! - CODE) / FUNCTION_SIZE);
    const at = Number((registers.rip! - CODE) % FUNCTION_SIZE);
    const code = this.#code[index]!;
    const goOn = (length: number): void => {
      registers.rip = registers.rip! + BigInt(length);
    };
    const lock = code[at] === 0xf0 ? 1 : 0;
    const place = code[at + lock + 2]!;
    const address = DATA + BigInt(place);
    switch (code[at + lock]) {
      case 0x8b:
        registers.rax = BigInt(this.data.readUInt32LE(place));
        goOn(3);
        return { address, size: 4, isStore: false };
      case 0x89:
        this.data.writeUInt32LE(Number(registers.rax! & 0xffffffffn), place);
        goOn(3);
        return { address, size: 4, isStore: true };
      case 0x88:
        this.data[place] = Number(registers.rax! & 0xffn);
        goOn(3);
        return { address, size: 1, isStore: true };
      case 0x83:
        this.data.writeUInt32LE(
          (this.data.readUInt32LE(place) + code[at + lock + 3]!) >>> 0,
          place,
        );
        goOn(4 + lock);
        return { address, size: 4, isStore: true };
      case 0xff:
        registers.rax = (registers.rax! + 1n) & 0xffffffffn;
        goOn(2);
        return undefined;
      case 0xb9:
        registers.rcx = BigInt(code.readInt32LE(at + 1));
        goOn(5);
        return undefined;
      case 0x0f: {
        const wanted = Number(registers.rcx!);
        if (wanted < 0) this.#owners.delete(-wanted);
        else if (this.#owners.has(wanted)) {
          thread.waitsFor = wanted;
          return undefined;
        } else this.#owners.set(wanted, runner);
        thread.waitsFor = undefined;
        goOn(2);
        return undefined;
      }
      case 0xe9:
        goOn(5 + code.readInt32LE(at + 1));
        return undefined;
    }
    throw new Error(`no instruction at ${registers.rip}`);
  }
}

const startOf = (index: number): bigint => CODE + BigInt(index) * FUNCTION_SIZE;

const copyOf = (registers: Thread['registers']): { get(name: RegisterName): bigint } => {
  const copy = { ...registers };
  return { get: (name) => copy[name] ?? 0n };
};

const doOverlap = (
  one: { address: bigint; size: number },
  other: { address: bigint; size: number },
): boolean =>
  one.address < other.address + BigInt(other.size) &&
  other.address < one.address + BigInt(one.size);
