import { describe, expect, it } from 'vitest';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { isOrdered } from '../../testdata/ordered.ts';
import { pipe, Script, SOME_FILE, words } from '../../testdata/records.ts';

const [POLLIN, POLLOUT, POLLHUP] = [1, 4, 16];
const READ = 3;
const pollfd = (happened: number, fd = READ): string => words(4, fd) + words(2, POLLIN, happened);
const epoll: KernelFile = { ...SOME_FILE, id: 50, mode: 0 };
const event = (happened: number, data: number): string => words(4, happened) + words(8, data);

const start = (): Script => new Script().makePipe(1, 7, [READ, 4]).fork(1, 2).mark(2, 'first');
const told = (script: Script, call: string, data: string, result = 1): boolean =>
  isOrdered(script.call(1, call, undefined, { result, data, file: epoll }).mark(1, 'then'));

describe('who is told that there is something comes after who put it there', () => {
  it.each<[string, boolean, boolean]>([
    ['by poll', told(start().send(2, 7), 'poll', pollfd(POLLIN)), true],
    ['not if there is only room', told(start().send(2, 7), 'ppoll', pollfd(POLLOUT)), false],
    ['not of another', told(start().send(2, 7), 'poll', pollfd(POLLIN, 9)), false],
    ['not if nothing is there yet', told(start(), 'poll', pollfd(POLLIN)), false],
    ['not if it took too long', told(start().send(2, 7), 'poll', pollfd(POLLIN), 0), false],
    ['by select', told(start().send(2, 7), 'select', '\x08'), true],
    ['by select, of others', told(start().send(2, 7), 'pselect6', '\x04\x01'), false],
    ['of the end', told(start().exit(2), 'poll', pollfd(POLLHUP)), true],
  ])('%s', (_, ordered, expected) => expect(ordered).toBe(expected));
});

describe('epoll', () => {
  const register = (script: Script, operation: number, data: number, of = pipe(7)): Script =>
    script.call(1, 'epoll_ctl', undefined, {
      args: [5, operation, READ],
      file: epoll,
      file2: of,
      data: event(POLLIN, data),
    });
  const [ADD, DELETE] = [1, 2];
  it.each<[string, boolean, boolean]>([
    ['tells', told(register(start(), ADD, 42).send(2, 7), 'epoll_wait', event(POLLIN, 42)), true],
    [
      'of others',
      told(register(start(), ADD, 42).send(2, 7), 'epoll_wait', event(POLLIN, 43)),
      false,
    ],
    [
      'also if nothing was taken away',
      told(
        register(register(start(), ADD, 42), DELETE, 0).send(2, 7),
        'epoll_pwait',
        event(POLLIN, 42),
      ),
      true,
    ],
    [
      'not if its number stands for another one',
      told(
        register(start(), ADD, 42)
          .call(1, 'epoll_create1', undefined, { result: 5, file2: epoll })
          .send(2, 7),
        'epoll_wait',
        event(POLLIN, 42),
      ),
      false,
    ],
  ])('%s', (_, ordered, expected) => expect(ordered).toBe(expected));
});

it('an event descriptor can be polled', () => {
  const descriptor: KernelFile = { ...SOME_FILE, id: 60, mode: 0 };
  const script = new Script()
    .call(1, 'eventfd2', undefined, { args: [0, 0], result: 6, file2: descriptor })
    .fork(1, 2)
    .mark(2, 'first')
    .call(2, 'write', undefined, { args: [6, 0, 8], result: 8, file: descriptor });
  expect(told(script, 'poll', pollfd(POLLIN, 6))).toBe(true);
});

it('odd data is not read beyond its end', () => {
  expect(told(start().send(2, 7), 'poll', '\x03\0\0')).toBe(false);
  expect(told(start().send(2, 7), 'epoll_wait', '\x01')).toBe(false);
});
