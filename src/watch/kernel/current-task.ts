/**
 * Whose work a processor does: the task's name and numbers, and whether it is in an interrupt.
 *
 * Each processor has a copy of some variables; `gs` points to its own while it runs kernel code. Linux 6.2 put the
 * hottest of them into one structure, `pcpu_hot`, and 6.15 took them apart again.
 */
import type { KernelTypes } from '../../linux/btf.ts';
import type { Runner } from '../debug-target.ts';
import type { StubRegisters } from '../gdb/register-layout.ts';
import type { ReadMemory } from '../gdb/remote-system.ts';
import type { KernelSymbols } from './symbols.ts';

export interface CurrentTask {
  readonly name: string;
  readonly process: number;
  readonly thread: number;
  readonly processor: number;
  /** It does something else than what the task asked for. */
  readonly inInterrupt: boolean;
}

const KERNEL = 1n << 63n;
const NAME_LENGTH = 16;
/** `NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET` of <linux/preempt.h>: served at the moment. */
const INTERRUPT = 0xf00000 | 0xf0000 | 0x100;

export class CurrentTasks {
  readonly #symbols: KernelSymbols;
  readonly #types: KernelTypes;
  readonly #read: ReadMemory;

  constructor(symbols: KernelSymbols, types: KernelTypes, read: ReadMemory) {
    this.#symbols = symbols;
    this.#types = types;
    this.#read = read;
  }

  async of(runner: Runner, registers: StubRegisters): Promise<CurrentTask | undefined> {
    const base = await this.#baseOf(runner, registers);
    const task = await this.#word(base, this.#place('current_task'), 8);
    if (task === undefined) return undefined;
    const member = (name: string): bigint =>
      task + BigInt(this.#types.offsetOf('task_struct', name));
    const name = Buffer.from(await this.#read(member('comm'), NAME_LENGTH));
    const thread = await this.#number(member('pid'));
    const process = await this.#number(member('tgid'));
    const processor = await this.#word(base, this.#place('cpu_number'), 4);
    const counts = await this.#word(base, this.#place('preempt_count'), 4);
    if (thread === undefined || process === undefined) return undefined;
    const nameEnd = name.indexOf(0);
    return {
      name: name.toString('utf8', 0, nameEnd < 0 ? undefined : nameEnd),
      thread,
      process,
      processor: Number(processor ?? BigInt(runner - 1)),
      inInterrupt: (Number(counts ?? 0n) & INTERRUPT) !== 0,
    };
  }

  /** Where the processor's own copies are, as a distance. */
  async #baseOf(runner: Runner, registers: StubRegisters): Promise<bigint | undefined> {
    for (const name of ['gs_base', 'k_gs_base']) {
      const base = registers.find(name);
      if (base !== undefined && base >= KERNEL) return base;
    }
    const offsets = this.#symbols.find('__per_cpu_offset');
    if (offsets === undefined) return undefined;
    // Of a stub that does not tell: processors are numbered from 0, runners from 1.
    return await this.#word(0n, offsets + BigInt(8 * (runner - 1)), 8);
  }

  #place(variable: 'current_task' | 'cpu_number' | 'preempt_count'): bigint | undefined {
    const alone = variable === 'preempt_count' ? '__preempt_count' : variable;
    const found = this.#symbols.find(alone);
    if (found !== undefined) return found;
    const hot = this.#symbols.find('pcpu_hot');
    if (hot === undefined) return undefined;
    const member = this.#types.findMember('pcpu_hot', variable);
    return member && hot + BigInt(member.offset);
  }

  async #word(
    base: bigint | undefined,
    at: bigint | undefined,
    size: 4 | 8,
  ): Promise<bigint | undefined> {
    if (base === undefined || at === undefined) return undefined;
    const bytes = Buffer.from(await this.#read(BigInt.asUintN(64, base + at), size));
    if (bytes.length < size) return undefined;
    return size === 8 ? bytes.readBigUInt64LE() : BigInt(bytes.readUInt32LE());
  }

  async #number(at: bigint): Promise<number | undefined> {
    const value = await this.#word(0n, at, 4);
    return value === undefined ? undefined : Number(value);
  }
}
