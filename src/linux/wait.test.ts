import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { tid } from './ids.ts';
import { Signal, sendSignal } from './signals.ts';
import { spawnStopped } from './spawn.ts';
import { hasChildren, parseWaitStatus, WaitOption, waitForChild } from './wait.ts';

describe('wait statuses', () => {
  it('tells exits, deaths and stops apart', () => {
    expect(parseWaitStatus(0x0700)).toEqual({ kind: 'exited', code: 7 });
    expect(parseWaitStatus(0x8b)).toEqual({ kind: 'killed', signal: 11, coreDumped: true });
    expect(parseWaitStatus(0x057f)).toEqual({ kind: 'stopped', signal: 5, event: 0 });
    expect(parseWaitStatus(0x0001_057f)).toEqual({ kind: 'stopped', signal: 5, event: 1 });
    expect(parseWaitStatus(0x0080_137f)).toEqual({ kind: 'stopped', signal: 19, event: 128 });
    expect(parseWaitStatus(0xffff)).toEqual({ kind: 'continued' });
  });

  it('has nothing to wait for where there is no such child', () => {
    spawnSync('true');
    expect(waitForChild(tid(process.pid), WaitOption.noHang)).toBeUndefined();
  });
});

describe('children', () => {
  it('are known to be there while they are', () => {
    expect(hasChildren()).toBe(false);
    const child = spawnStopped({ args: ['/bin/true'], environment: [] });
    expect(hasChildren()).toBe(true);
    sendSignal(child, Signal.SIGKILL);
    expect(waitForChild(child, WaitOption.all)).toMatchObject({ task: child });
    expect(hasChildren()).toBe(false);
  });
});
