import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DH_NO_STEP, LogOp, ScheduleAt, STEP_SIZE, StepAt } from './agent-protocol.ts';
import { type AgentSchedule, writeAgentSchedule } from './agent-schedule.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deadheat-schedule-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const schedule: AgentSchedule = {
  ...{ process: 1, threads: 2, objects: 2, racing: [2] },
  steps: [
    { thread: 1, op: LogOp.DH_OP_FORK, object: 2 },
    { thread: 2, op: LogOp.DH_OP_ATOMIC, object: undefined },
    { thread: 2, op: LogOp.DH_OP_BEGIN, object: undefined },
    { thread: 1, op: LogOp.DH_OP_WAIT_BEGIN, object: 1, mutex: 0 },
  ],
};

describe('the file of a schedule', () => {
  it('chains the steps of each thread, but for those that are not the agent’s', () => {
    const file = writeAgentSchedule(folder, schedule, 5n);
    const bytes = readFileSync(join(folder, 'schedule'));
    const steps = bytes.subarray(bytes.length - schedule.steps.length * STEP_SIZE);
    const nexts = schedule.steps.map((_, i) => steps.readUInt32LE(i * STEP_SIZE + StepAt.next));
    expect(nexts).toEqual([3, 2, DH_NO_STEP, DH_NO_STEP]);
    expect(bytes.readUInt32LE(ScheduleAt.pid)).toBe(process.pid);
    expect(bytes.readBigUInt64LE(ScheduleAt.deadline)).toBe(5n);
    expect(file.progress()).toEqual({ turn: 0, open: undefined, divergence: undefined });
    expect(file.thread(1)).toEqual({
      ...{ thread: 1, tid: undefined, standing: 'not-begun', done: 0, next: 0 },
      ...{ isFree: false, at: undefined },
    });
    expect(file.thread(2)?.next).toBe(2);
    expect(file.threads()).toEqual([]);
    expect(file.addressOf(1)).toBeUndefined();
    file.close();
  });

  it('says that gates are open, and who is free', () => {
    const file = writeAgentSchedule(folder, schedule);
    file.free(2);
    expect(file.thread(2)?.isFree).toBe(true);
    expect(file.thread(1)?.isFree).toBe(false);
    file.open();
    expect(file.progress().open).toBe('by-deadheat');
    expect(file.thread(0)).toBeUndefined();
    expect(() => file.pass()).toThrow('only atomic accesses');
    file.close();
  });

  it('refuses steps that make no sense', () => {
    const bad = { thread: 1, op: LogOp.DH_OP_ACQUIRE, object: 2 };
    expect(() => writeAgentSchedule(folder, { ...schedule, steps: [bad] })).toThrow('object');
  });
});
