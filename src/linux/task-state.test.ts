import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { tid } from './ids.ts';
import { syscallNumber } from './syscalls.ts';
import { activityOf, sleepsInCall } from './task-state.ts';

it('says in which call a task sleeps', async () => {
  const child = spawn('/bin/sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const task = tid(child.pid!);
  try {
    // On its way there it may sleep in others. The limit of the test is for one that never comes there.
    while (sleepsInCall(task) !== syscallNumber('read')) await pause(10);
    expect(activityOf(task)).toBe('other');
  } finally {
    child.stdin.end();
    await once(child, 'exit');
  }
  expect(sleepsInCall(task)).toBeUndefined();
});
