import { describe, expect, it } from 'vitest';
import { pid } from '../../../linux/ids.ts';
import { PLAIN_NUMBERS, shown, shownOperation } from '../../testdata/shown-operations.ts';
import { exited, forked, reaped } from './processes.ts';

const text = (operations: Parameters<typeof shownOperation>[0][]): string =>
  operations.map(shownOperation).join(', ');

describe('what is done to processes', () => {
  it.each([
    ['fork', text(forked()), '~store listing /proc'],
    ['exit', text(exited(pid(2), [], () => [pid(1)], PLAIN_NUMBERS)), 'store life process 2'],
    [
      'exit of a parent',
      text(exited(pid(2), [pid(3)], () => [pid(1)], PLAIN_NUMBERS)),
      'store life process 2, store parent process 3, load setting process 1',
    ],
    ['wait', text(reaped(pid(2), PLAIN_NUMBERS)), 'store life process 2, ~store listing /proc'],
    [
      'execve',
      shown('execve', '/bin/x'),
      'load entry /bin/x, load contents /bin/x, store command process 1',
    ],
    ['execve in vain', shown('execve', '/bin/x', { result: -2 }), 'load entry /bin/x'],
    [
      'execveat of what is open',
      shown('execveat', '/bin/x', { isOpen: true }),
      'load contents /bin/x, store command process 1',
    ],
    ['getppid', shown('getppid', undefined, { result: 1 }), 'load parent process 1'],
    [
      'kill',
      shown('kill', undefined, { args: [14, 9] }),
      'load life process 14, load credentials process 14',
    ],
    ['kill of oneself', shown('kill', undefined, { args: [1, 9] }), ''],
    [
      'kill of a group',
      shown('kill', undefined, { args: [-14, 9] }),
      'load group process group 14',
    ],
    ['kill of everyone', shown('kill', undefined, { args: [-1, 9] }), ''],
    [
      'tgkill',
      shown('tgkill', undefined, { args: [14, 15, 9] }),
      'load life process 14, load credentials process 14',
    ],
    ['pidfd_open', shown('pidfd_open', undefined, { args: [14] }), 'load life process 14'],
    ['prlimit64', shown('prlimit64', undefined, { args: [14, 7] }), 'load life process 14'],
    ['prlimit64 of oneself', shown('prlimit64', undefined, { args: [0, 7] }), ''],
    ['setuid', shown('setuid', undefined, { args: [7] }), 'store credentials process 1'],
    ['setuid in vain', shown('setuid', undefined, { args: [7], result: -1 }), ''],
    ['getpgid', shown('getpgid', undefined, { args: [14] }), 'load group process 14'],
    ['getpgrp', shown('getpgrp', undefined), 'load group process 1'],
    [
      'setpgid',
      shown('setpgid', undefined, { args: [14, 20] }),
      '~store group process 14, ~store group process group 20',
    ],
    [
      'setpgid into a group of its own',
      shown('setpgid', undefined, { args: [14, 0] }),
      '~store group process 14, ~store group process group 14',
    ],
    [
      'setpgid in vain',
      shown('setpgid', undefined, { args: [14], result: -3 }),
      'load group process 14',
    ],
    ['setsid', shown('setsid', undefined, { result: 1 }), 'store group process 1'],
    [
      'setpriority',
      shown('setpriority', undefined, { args: [0, 14, 5] }),
      'store setting process 14',
    ],
    ['setpriority of a user', shown('setpriority', undefined, { args: [2, 14, 5] }), ''],
    ['getpriority', shown('getpriority', undefined, { args: [0, 0] }), 'load setting process 1'],
    ['a new name', shown('prctl', undefined, { args: [15] }), 'store attributes process 1'],
    ['taking orphans', shown('prctl', undefined, { args: [36, 1] }), 'store setting process 1'],
    ['another prctl', shown('prctl', undefined, { args: [38, 1] }), ''],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('what /proc tells', () => {
  const reading = { isOpen: true, result: 10 };
  it.each([
    [
      'looking a process up',
      shown('openat', '/proc/14/cmdline', { result: 3 }),
      'load life process 14',
    ],
    ['what it runs', shown('read', '/proc/14/cmdline', reading), 'load command process 14'],
    [
      'its status',
      shown('read', '/proc/14/task/15/status', reading),
      'load command process 14, load credentials process 14, load attributes process 14',
    ],
    ['in vain', shown('read', '/proc/14/cmdline', { isOpen: true, result: -3 }), ''],
    ['about oneself', shown('read', '/proc/self/cmdline', reading), ''],
    ['about oneself, by number', shown('read', '/proc/1/cmdline', reading), ''],
    ['about the machine', shown('read', '/proc/meminfo', reading), ''],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});
