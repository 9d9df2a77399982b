import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { tid } from './ids.ts';
import { hasSignal, signalSetsOf } from './signal-sets.ts';
import { Signal } from './signals.ts';

it('shows what a task catches, ignores and blocks', async () => {
  const script = 'trap "" HUP; trap : TERM; echo ready; read line';
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    const sets = signalSetsOf(tid(child.pid!))!;
    expect(hasSignal(sets('SigIgn'), Signal.SIGHUP)).toBe(true);
    expect(hasSignal(sets('SigCgt'), Signal.SIGHUP)).toBe(false);
    expect(hasSignal(sets('SigCgt'), Signal.SIGTERM)).toBe(true);
    expect([sets('SigPnd'), sets('ShdPnd'), sets('SigBlk')]).toEqual([0n, 0n, 0n]);
  } finally {
    child.stdin.end();
    await once(child, 'exit');
  }
});

it('knows nothing of a task that is gone', () => {
  expect(signalSetsOf(tid(4_200_000))).toBeUndefined();
});
