import { describe, expect, it } from 'vitest';
import { tid } from '../../../linux/ids.ts';
import { allocate } from '../../../linux/native-memory.ts';
import { syscallNumber } from '../../../linux/syscalls.ts';
import type { ProgramAnswers, TaskAnswers } from './recorded-answers.ts';
import { RepeatedAnswers } from './repeated-answers.ts';

/** This very process stands for the one that asks: its memory can be written as any other. */
const SELF = tid(process.pid);
const memory = allocate(4096);
const ADDRESS = Number(memory.address);
const CLOCK_GETTIME = syscallNumber('clock_gettime');
const TIME = syscallNumber('time');
const GETRANDOM = syscallNumber('getrandom');

const program = (answers: Partial<ProgramAnswers>): ProgramAnswers => ({
  ...{ random: [], devices: [], times: new Map(), repeatsTime: true },
  ...answers,
});
const task = (programs: ProgramAnswers[], children: TaskAnswers[] = []): TaskAnswers => ({
  programs,
  children,
});
function answering(root: TaskAnswers): RepeatedAnswers {
  const answers = new RepeatedAnswers(root);
  answers.begins(SELF);
  return answers;
}

/** What a program is told when it is so late. */
function asked(answers: RepeatedAnswers, seconds: number, clock = 0): number {
  memory.bytes.writeBigInt64LE(BigInt(seconds), 0);
  memory.bytes.writeBigInt64LE(0n, 8);
  expect(answers.answer(SELF, CLOCK_GETTIME, [clock, ADDRESS], 0)).toBe(0);
  return Number(memory.bytes.readBigInt64LE(0)) + Number(memory.bytes.readBigInt64LE(8)) / 1e9;
}
const seconds = (...times: number[]): bigint[] =>
  times.map((time) => BigInt(time) * 1_000_000_000n);

describe('the time', () => {
  it('is what it was, and then goes on from there', () => {
    const answers = answering(task([program({ times: new Map([[0, seconds(10, 12)]]) })]));
    expect([1000, 1001, 1005].map((now) => asked(answers, now))).toEqual([10, 12, 16]);
    expect(answers.answer(SELF, TIME, [0], 1006)).toBe(17);
    expect(asked(answers, 1007, 1)).toBe(1007);
  });

  it('goes on in programs that were not recorded, as in those that started them', () => {
    const answers = answering(task([program({ times: new Map([[0, seconds(10)]]) })]));
    asked(answers, 1000);
    answers.forked(SELF, tid(1));
    expect(answers.answer(tid(1), TIME, [0], 1003)).toBe(13);
    expect(answers.mayAnswer(tid(1), TIME, [0])).toBe(true);
  });

  it('is the real one where that was told, where a clock has started anew, and of CPU time', () => {
    const real = program({ times: new Map([[0, seconds(10)]]), repeatsTime: false });
    expect(asked(answering(task([real])), 1000)).toBe(1000);
    const rebooted = answering(task([program({ times: new Map([[1, seconds(5000)]]) })]));
    expect(asked(rebooted, 1000, 1)).toBe(1000);
    expect(rebooted.mayAnswer(SELF, CLOCK_GETTIME, [2, ADDRESS])).toBe(false);
  });
});

describe('random bytes', () => {
  it('are given to each program in its turn', () => {
    const child = task([program({}), program({ random: [Buffer.from('efgh')] })]);
    const answers = answering(
      task([program({ random: [Buffer.from('ab'), Buffer.from('cd')] })], [child]),
    );
    const bytes = (of: number, length: number): string => {
      memory.bytes.fill('.', 0, 8);
      if (answers.mayAnswer(tid(of), GETRANDOM, [ADDRESS])) {
        expect(answers.answer(SELF, GETRANDOM, [ADDRESS], length)).toBe(length);
      }
      return memory.bytes.toString('latin1', 0, 4);
    };
    expect([bytes(SELF, 2), bytes(SELF, 1), bytes(SELF, 4)]).toEqual(['ab..', 'c...', '....']);
    answers.forked(SELF, tid(1));
    answers.gone(SELF);
    answers.execed(SELF, tid(1));
    expect([bytes(SELF, 4), bytes(SELF, 4)]).toEqual(['efgh', '....']);
  });
});

describe('whether a program will ask for nothing more', () => {
  it('is so once it has all random bytes', () => {
    const answers = answering(task([program({ random: [Buffer.of(1), Buffer.of(2)] })]));
    expect(answers.isDoneWith(SELF)).toBe(false);
    answers.answer(SELF, GETRANDOM, [ADDRESS, 1], 1);
    expect(answers.isDoneWith(SELF)).toBe(false);
    answers.answer(SELF, GETRANDOM, [ADDRESS, 1], 1);
    expect(answers.isDoneWith(SELF)).toBe(true);
  });

  it('is so once it has the time, unless it asked for that more often', () => {
    const once = answering(task([program({ times: new Map([[0, seconds(10)]]) })]));
    expect(once.isDoneWith(SELF)).toBe(false);
    asked(once, 1000);
    expect(once.isDoneWith(SELF)).toBe(true);
    const twice = answering(task([program({ times: new Map([[0, seconds(10, 12)]]) })]));
    for (const now of [1000, 1001, 1002]) asked(twice, now);
    expect(twice.isDoneWith(SELF)).toBe(false);
    const real = new Map([[0, seconds(10, 12)]]);
    expect(answering(task([program({ times: real, repeatsTime: false })])).isDoneWith(SELF)).toBe(
      true,
    );
  });
});
