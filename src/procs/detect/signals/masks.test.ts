import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import { Script } from '../../testdata/records.ts';
import type { DetectedRace } from '../race.ts';
import { buildTimeline } from '../timeline.ts';
import { detectSignalRaces } from './engine.ts';

const USR1 = 10;
const BLOCK = 0;
const UNBLOCK = 1;
const SETMASK = 2;

function set(...signals: number[]): { data: string } {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(signals.reduce((bits, signal) => bits | (1n << BigInt(signal - 1)), 0n));
  return { data: decodeBytes(bytes) };
}

class Signals extends Script {
  mask(task: number, how: number, ...signals: number[]): this {
    return this.call(task, 'rt_sigprocmask', undefined, { args: [how], ...set(...signals) });
  }
  handle(task: number): this {
    return this.call(task, 'rt_sigaction', undefined, { args: [USR1] });
  }
  suspend(task: number): this {
    return this.call(task, 'rt_sigsuspend', undefined, { result: -4, ...set() });
  }
  /** 1 signals 2. */
  interrupt(): this {
    return this.kill(1, 2, USR1).signal(1, 2, USR1);
  }
}

function races({ records }: Script): DetectedRace[] {
  const found = detectSignalRaces(buildTimeline(records, '/'));
  return found.filter(({ withoutConsequence }) => !withoutConsequence);
}

const calls = ([race]: DetectedRace[]): string[] =>
  race!.parts.map(({ step: { record } }) =>
    record.kind === 'call' ? syscallName(record.number) : record.kind,
  );

describe('a signal that is held back', () => {
  it('cannot come before the handler if the parent blocked it before the fork', () => {
    const script = new Signals().mask(1, BLOCK, USR1).fork(1, 2).handle(2).interrupt().suspend(2);
    expect(races(script)).toEqual([]);
    const unblocked = new Signals().mask(1, BLOCK, USR1).fork(1, 2).handle(2);
    expect(races(unblocked.mask(2, SETMASK).interrupt())).toEqual([]);
  });

  it('may come before a child has blocked it, and so before the handler', () => {
    const script = new Signals().fork(1, 2).mask(2, BLOCK, USR1).handle(2).mask(2, UNBLOCK, USR1);
    expect(calls(races(script.interrupt()))).toEqual(['rt_sigaction', 'kill', 'signal']);
  });

  it('is one signal: the others come as ever', () => {
    const script = new Signals().mask(1, BLOCK, 12).fork(1, 2).handle(2).interrupt();
    expect(races(script)).toHaveLength(1);
  });

  it('could have come in an earlier sigsuspend, before what was done since', () => {
    const script = new Signals().mask(1, BLOCK, USR1).fork(1, 2).suspend(2).write(2, '/f');
    expect(calls(races(script.interrupt()))).toEqual(['write', 'kill', 'signal']);
  });

  it('keeps its mask when sigprocmask fails', () => {
    const failed = { args: [SETMASK], result: -22, ...set() };
    const script = new Signals().mask(1, BLOCK, USR1).fork(1, 2);
    script.call(2, 'rt_sigprocmask', undefined, failed).handle(2).interrupt();
    expect(races(script)).toEqual([]);
  });
});
