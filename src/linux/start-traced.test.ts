import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Tid } from './ids.ts';
import { PLAIN_INHERITANCE } from './own-inheritance.ts';
import { startProgram } from './start-traced.ts';

const program = {
  path: '/bin/true',
  args: ['true'],
  environment: [],
  inheritance: PLAIN_INHERITANCE,
};

/** Whether a task is there, be it only to be collected. */
const isThere = (task: Tid): boolean => readdirSync('/proc').includes(String(task));

describe('a program that is started under trace', () => {
  it('leaves nothing behind if it cannot be prepared', () => {
    let started: Tid | undefined;
    const start = () =>
      startProgram(program, (task) => {
        started = task;
        expect(readFileSync(`/proc/${task}/comm`, 'latin1')).toBe('sh\n');
        throw new Error('not today');
      });
    expect(start).toThrow('not today');
    expect(isThere(started!)).toBe(false);
  });

  it('leaves nothing behind if it cannot be run', () => {
    let started: Tid | undefined;
    const start = () =>
      startProgram({ ...program, path: '/no/such/program' }, (task) => {
        started = task;
      });
    expect(start).toThrow("cannot run '/no/such/program': ENOENT");
    expect(isThere(started!)).toBe(false);
  });
});
