import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { tid } from './ids.ts';
import { syscallNumber } from './syscalls.ts';
import { activityOf, runsOf, sleepsInCall, sleptCall } from './task-state.ts';

it('says in which call a task sleeps', async () => {
  const child = spawn('/bin/sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const task = tid(child.pid!);
  try {
    // On its way there it may sleep in others. The limit of the test is for one that never comes there.
    while (sleepsInCall(task) !== syscallNumber('read')) await pause(10);
    expect(activityOf(task)).toBe('other');
    expect(sleptCall(task)?.firstArgument).toBe(0);
  } finally {
    child.stdin.end();
    await once(child, 'exit');
  }
  expect(sleepsInCall(task)).toBeUndefined();
});

it('says whether a task has run since', async () => {
  const child = spawn('/bin/sh', ['-c', 'read line; read line'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const task = tid(child.pid!);
  const sleepsSince = async (before: string): Promise<string> => {
    while (runsOf(task) === before || sleepsInCall(task) !== syscallNumber('read')) await pause(10);
    return runsOf(task);
  };
  try {
    const first = await sleepsSince('');
    expect(runsOf(task)).toBe(first);
    child.stdin.write('line\n');
    expect(await sleepsSince(first)).not.toBe(first);
  } finally {
    child.stdin.end();
    await once(child, 'exit');
  }
});
