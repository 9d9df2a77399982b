/** In a sandbox, the next process gets the number that was asked for. */
import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nodeAsPlainUser, PROJECT, runToEnd, type Surroundings } from './harness/deadheat.ts';
import { sandboxedIn } from './harness/mounted.ts';
import { scratchFolder } from './harness/scratch.ts';

/** Runs a shell in a sandbox that starts another one and ends with its number; prints that. */
const program = (cwd: string, number: number): string => `
  import { mkdirSync } from 'node:fs';
  import { PLAIN_INHERITANCE } from '${PROJECT}dist/linux/own-inheritance.js';
  import { detach } from '${PROJECT}dist/linux/ptrace.js';
  import { prepareSandbox } from '${PROJECT}dist/linux/sandbox/prepare.js';
  import { startProgram } from '${PROJECT}dist/linux/start-traced.js';
  const changes = ${JSON.stringify(cwd)} + '/changes-${number}';
  mkdirSync(changes);
  const place = { cwd: ${JSON.stringify(cwd)}, changes, hidden: changes };
  const plan = { ...prepareSandbox(place), choosesNumbers: true };
  const started = startProgram({
    path: '/bin/sh',
    args: ['sh', '-c', 'sh -c "exit \\\\$\\\\$"; exit $?'],
    environment: ['PATH=/usr/bin:/bin'],
    inheritance: PLAIN_INHERITANCE,
    sandbox: { plan, built() {} },
  }, () => {});
  if (${number} > 0) started.numbering.setNext(${number});
  detach(started.task);
  const word = new Int32Array(new SharedArrayBuffer(4));
  while (started.status() === undefined) Atomics.wait(word, 0, 0, 10);
  console.log(started.status() >> 8);
  started.kill();`;

it.each([
  [
    'root',
    (args: readonly string[], around: Surroundings) => runToEnd(process.execPath, args, around),
  ],
  ['a plain user', nodeAsPlainUser],
])('as %s; if it is taken, the next one that is free', (_, run) => {
  const cwd = scratchFolder();
  chmodSync(cwd, 0o777);
  const numberOf = (asked: number): string => {
    const { stdout, stderr } = run(['--input-type=module', '-e', program(cwd, asked)], { cwd });
    expect(stderr).toBe('');
    return stdout;
  };
  expect(numberOf(77)).toBe('77\n');
  expect(numberOf(3)).toBe('4\n');
  expect(numberOf(0)).toBe('4\n');
  expect(sandboxedIn(cwd)).toEqual([]);
});
