/** `deadheat watch` on a terminal: live figures, and keys while a process is watched. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { MAIN, PROJECT } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';
import { compileWatched } from './harness/watch-examples.ts';

function withExample(): string {
  const cwd = scratchFolder();
  const source = join(PROJECT, 'examples/watch/rw-race/fixed.c');
  compileWatched(source, join(cwd, 'program'));
  return cwd;
}

const rateIn = (cwd: string): unknown =>
  (JSON.parse(readFileSync(join(cwd, '.deadheat/watch-1/report.json'), 'utf8')) as Report).stats
    .rate;

it('shows how it goes, changes its rate by keys, and ends', async () => {
  const cwd = withExample();
  const program = spawn(join(cwd, 'program'), ['500'], { stdio: 'ignore' });
  onTestFinished(() => void program.kill('SIGKILL'));
  /** Each key when the rate that it is to change has been shown. */
  const steps: [string, RegExp][] = [
    ['+', /hits\/s of 50,/],
    ['-', /hits\/s of 75,/],
    ['q', /hits\/s of 75,.*hits\/s of 50,/s],
  ];
  const type = (soFar: string, write: (keys: string) => void): void => {
    const [next] = steps;
    if (next === undefined || !next[1].test(soFar)) return;
    steps.shift();
    write(next[0]);
  };
  const args = [process.execPath, MAIN, 'watch', '--pid', `${program.pid}`];
  const { text, status } = await onTerminal(args, cwd, type);
  expect(status).toBe(0);
  expect(text).toMatch(/\d+ hits\/s of 75, \d+ windows?, 0 races, \d+ breakpoints?; threads held/);
  expect(text).toContain('deadheat: reported 0 races');
  expect(rateIn(cwd)).toBe(50);
  expect([program.exitCode, program.signalCode]).toEqual([null, null]);
});

it('hears Ctrl-C, although keys come one by one', async () => {
  const cwd = withExample();
  const program = spawn(join(cwd, 'program'), ['500'], { stdio: 'ignore' });
  onTestFinished(() => void program.kill('SIGKILL'));
  let isTyped = false;
  const args = ['sh', '-c', `"$0" "$1" watch --pid ${program.pid}; echo ended with $?`];
  const { text } = await onTerminal([...args, process.execPath, MAIN], cwd, (soFar, write) => {
    if (isTyped || !soFar.includes('hits/s')) return;
    isTyped = true;
    write('\x03');
  });
  expect(text).toContain('interrupted by SIGINT');
  expect([program.exitCode, program.signalCode]).toEqual([null, null]);
});

it('leaves the keys to a program that it has started', async () => {
  const cwd = withExample();
  const script = 'echo ready; read line; echo "got $line"';
  let isTyped = false;
  const args = [process.execPath, MAIN, 'watch', '--', 'sh', '-c', script];
  const { text } = await onTerminal(args, cwd, (soFar, write) => {
    if (isTyped || !soFar.includes('ready')) return;
    isTyped = true;
    write('q+\r');
  });
  expect(text).toContain('got q+');
});

it('shows how it goes where nobody knows how wide the terminal is', async () => {
  const cwd = withExample();
  const watch = [process.execPath, MAIN, 'watch', '--', './program', '3'];
  const { text } = await onTerminal(['sh', '-c', 'stty cols 0 && exec "$@"', 'sh', ...watch], cwd);
  expect(text).toMatch(/hits\/s of 50, /);
});
