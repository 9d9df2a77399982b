/**
 * Gives the programs of one more run what the kernel made up for them when they were recorded, in
 * whatever order they run. A program that asks more often than it did then gets what the kernel says;
 * its clock goes on from where it was:
 *
 *   recorded      10:00:00   10:00:02
 *   the next day  10:00:00   10:00:02   10:00:05, three seconds after the last
 */
import { readlinkSync } from 'node:fs';
import { tryTo } from '../../../base/result.ts';
import { type Tid, traceeAddress } from '../../../linux/ids.ts';
import { readMemory, writeMemory } from '../../../linux/process-memory.ts';
import {
  CLOCK_CALLS,
  type ClockCall,
  clockOf,
  DEVICE_READS,
  fromWords,
  GETRANDOM,
  isRepeatedClock,
  toWords,
} from '../../model/made-up-calls.ts';
import type { Answers } from '../../recorder/answers.ts';
import { RANDOM_DEVICES } from '../../recorder/random-devices.ts';
import type { ProgramAnswers, TaskAnswers } from './recorded-answers.ts';

const WORD = 8;

/** How far a task has got. */
interface Asking {
  /** undefined: it was not recorded. */
  readonly task: TaskAnswers | undefined;
  /** Which of its programs it runs. */
  program: number;
  children: number;
  random: number;
  devices: number;
  /** By the number of the clock. */
  readonly times: Map<number, number>;
  /** Whether its clock is not the real one. */
  repeatsTime: boolean;
}

export class RepeatedAnswers implements Answers {
  readonly numbers: ReadonlySet<number>;
  readonly #root: TaskAnswers;
  readonly #asking = new Map<Tid, Asking>();
  /** By how much each repeated clock is behind the real one, as of the last answer. */
  readonly #behind = new Map<number, bigint>();

  constructor(root: TaskAnswers) {
    this.#root = root;
    this.numbers = numbersFor(root);
  }

  begins(root: Tid): void {
    this.#asking.set(root, askingFor(this.#root, false));
  }

  forked(parent: Tid, child: Tid): void {
    const asking = this.#asking.get(parent);
    if (!asking) return;
    const task = asking.task?.children[asking.children++];
    this.#asking.set(child, askingFor(task, asking.repeatsTime));
  }

  execed(task: Tid, former: Tid): void {
    const asking = this.#asking.get(former);
    if (!asking) return;
    if (former !== task) this.#asking.delete(former);
    const program = asking.program + 1;
    const { repeatsTime } = asking.task?.programs[program] ?? asking;
    const { children } = asking;
    const none = { random: 0, devices: 0, times: new Map<number, number>() };
    this.#asking.set(task, { task: asking.task, children, program, repeatsTime, ...none });
  }

  gone(task: Tid): void {
    this.#asking.delete(task);
  }

  mayAnswer(task: Tid, number: number, args: readonly number[]): boolean {
    const asking = this.#asking.get(task);
    if (!asking) return false;
    if (number === GETRANDOM) return asking.random < (programOf(asking)?.random.length ?? 0);
    const clock = CLOCK_CALLS.get(number);
    if (clock) return asking.repeatsTime && isRepeatedClock(clockOf(clock, args));
    const isLeft = asking.devices < (programOf(asking)?.devices.length ?? 0);
    return isLeft && DEVICE_READS.has(number) && isRandomDevice(task, args[0] ?? -1);
  }

  /**
   * Who asked for the time once, does so once. Who asked more often may be waiting for some time to come,
   * and ask as often as it takes.
   */
  isDoneWith(task: Tid): boolean {
    const asking = this.#asking.get(task);
    if (!asking) return true;
    const { random = [], devices = [], times } = programOf(asking) ?? {};
    if (asking.random < random.length || asking.devices < devices.length) return false;
    if (!asking.repeatsTime) return true;
    const recorded = [...(times?.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
    const asked = [...asking.times.values()].reduce((sum, count) => sum + count, 0);
    return recorded <= 1 && asked === recorded;
  }

  answer(task: Tid, number: number, args: readonly number[], result: number): number {
    const asking = this.#asking.get(task);
    if (!asking || result < 0) return result;
    const clock = CLOCK_CALLS.get(number);
    if (clock)
      return asking.repeatsTime ? this.#tellTime(task, asking, clock, args, result) : result;
    const program = programOf(asking);
    if (number === GETRANDOM) return give(task, args[0], program?.random[asking.random++], result);
    if (!DEVICE_READS.has(number) || !isRandomDevice(task, args[0] ?? -1)) return result;
    return give(task, args[1], program?.devices[asking.devices++], result);
  }

  #tellTime(
    task: Tid,
    asking: Asking,
    clock: ClockCall,
    args: readonly number[],
    result: number,
  ): number {
    const address = args[clock.argument] ?? 0;
    const now = timeAt(task, address, clock, result);
    if (now === undefined) return result;
    const which = clockOf(clock, args);
    const behind = this.#behindNow(asking, which, now);
    if (behind === undefined) return result;
    const [seconds, fraction] = toWords(now - behind, clock);
    if (address !== 0)
      writeMemory(task, traceeAddress(BigInt(address)), words(seconds, fraction, clock));
    return clock.isResult ? Number(seconds) : result;
  }

  /** undefined if nothing was repeated yet; or never: a clock that starts anew with the machine may be behind. */
  #behindNow(asking: Asking, clock: number, now: bigint): bigint | undefined {
    const asked = asking.times.get(clock) ?? 0;
    asking.times.set(clock, asked + 1);
    const recorded = programOf(asking)?.times.get(clock)?.[asked];
    if (recorded !== undefined && recorded <= now) this.#behind.set(clock, now - recorded);
    return this.#behind.get(clock);
  }
}

const programOf = ({ task, program }: Asking): ProgramAnswers | undefined =>
  task?.programs[program];

const askingFor = (task: TaskAnswers | undefined, ofParent: boolean): Asking => ({
  task,
  program: 0,
  children: 0,
  random: 0,
  devices: 0,
  times: new Map(),
  repeatsTime: task?.programs[0]?.repeatsTime ?? ofParent,
});

function numbersFor(root: TaskAnswers): ReadonlySet<number> {
  const numbers = new Set<number>();
  const add = ({ programs, children }: TaskAnswers): void => {
    for (const { random, devices, times, repeatsTime } of programs) {
      if (random.length > 0) numbers.add(GETRANDOM);
      if (devices.length > 0) for (const number of DEVICE_READS) numbers.add(number);
      if (repeatsTime && times.size > 0)
        for (const number of CLOCK_CALLS.keys()) numbers.add(number);
    }
    for (const child of children) add(child);
  };
  add(root);
  return numbers;
}

/** As much as there is of both; the length stays what the kernel says. */
function give(task: Tid, address = 0, bytes: Buffer | undefined, length: number): number {
  if (bytes && length > 0) {
    writeMemory(task, traceeAddress(BigInt(address)), bytes.subarray(0, length));
  }
  return length;
}

function isRandomDevice(task: Tid, fd: number): boolean {
  const target = tryTo(() => readlinkSync(`/proc/${task}/fd/${fd}`));
  return target.ok && RANDOM_DEVICES.includes(target.value);
}

function timeAt(task: Tid, address: number, clock: ClockCall, result: number): bigint | undefined {
  if (clock.isResult) return fromWords(BigInt(result), 0n, clock);
  const bytes = readMemory(task, traceeAddress(BigInt(address)), 2 * WORD);
  if (bytes.length < 2 * WORD) return undefined;
  return fromWords(bytes.readBigInt64LE(0), bytes.readBigInt64LE(WORD), clock);
}

function words(seconds: bigint, fraction: bigint, { isResult }: ClockCall): Buffer {
  const bytes = Buffer.alloc(isResult ? WORD : 2 * WORD);
  bytes.writeBigInt64LE(seconds, 0);
  if (!isResult) bytes.writeBigInt64LE(fraction, WORD);
  return bytes;
}
