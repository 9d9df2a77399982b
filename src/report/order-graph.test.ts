import { expect, it } from 'vitest';
import type { OrderedStep } from './model.ts';
import { orderLines } from './order-graph.ts';

/** Without the blanks that no one sees. */
const drawn = (steps: readonly Omit<OrderedStep, 'thread'>[]): string[] =>
  orderLines(steps.map((step) => ({ ...step, thread: step.pid }))).map((line) => line.trimEnd());

it('draws a lane for each process and an arrow for each edge', () => {
  const steps = [
    { pid: 10, what: 'sh: fork() = 11' },
    { pid: 10, what: 'sh: fork() = 12' },
    { pid: 11, what: 'cat: read("counter")', after: [0], races: true as const },
    { pid: 12, what: 'sh: openat("counter")', after: [1], races: true as const },
    { pid: 11, what: 'cat: exit(0)' },
    { pid: 10, what: 'sh: wait4(-1) = 11', after: [4] },
    { pid: 12, what: 'sh: exit(0)' },
  ];
  expect(drawn(steps)).toEqual([
    '10  11  12',
    '●             sh: fork() = 11',
    '●             sh: fork() = 12',
    '├──▶●         cat: read("counter")  ‖',
    '├───┼──▶●     sh: openat("counter")  ‖',
    '│   ●   │     cat: exit(0)',
    '●◀──┘   │     sh: wait4(-1) = 11',
    '        ●     sh: exit(0)',
  ]);
});

it('lets arrows pass lanes in either direction, and leave lanes that end', () => {
  const steps = [
    { pid: 1, what: 'a' },
    { pid: 2, what: 'b' },
    { pid: 3, what: 'c', after: [0] },
    { pid: 1, what: 'd', after: [2] },
    { pid: 2, what: 'e' },
  ];
  expect(drawn(steps)).toEqual([
    '1  2  3',
    '●          a',
    '│  ●       b',
    '├──┼─▶●    c',
    '●◀─┼──┘    d',
    '   ●       e',
  ]);
});

it('draws several arrows into one step', () => {
  const steps = [
    { pid: 1, what: 'a' },
    { pid: 2, what: 'b' },
    { pid: 3, what: 'c', after: [0, 1] },
    { pid: 1, what: 'd' },
  ];
  expect(drawn(steps)).toEqual([
    '1  2  3',
    '●          a',
    '│  ●       b',
    '├──┴─▶●    c',
    '●          d',
  ]);
});

it('survives edges from steps that are not there, from itself, and names that would harm a terminal', () => {
  const steps = [{ pid: 1, what: 'a\u001b[31m', after: [0, 7] }];
  expect(drawn(steps)).toEqual(['1', '●    a\\x1b[31m']);
  expect(orderLines([])).toEqual(['']);
});
