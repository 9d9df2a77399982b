import { describe, expect, it } from 'vitest';
import { isOrdered } from '../../testdata/ordered.ts';
import { Script, SOME_FILE, words } from '../../testdata/records.ts';

type Details = Parameters<Script['call']>[3];
type Call = [name: string, details: Details];

/** 2 gives, and 3 takes. */
function passes([give, given]: Call, [take, taken]: Call): boolean {
  const script = new Script().fork(1, 2).fork(1, 3).mark(2, 'first');
  script.call(2, give, undefined, given);
  return isOrdered(script.call(3, take, undefined, taken).mark(3, 'then'));
}

const semop = (set: number, ...steps: number[]): Call => [
  'semop',
  { args: [set, 0, steps.length], data: words(2, ...steps.flatMap((step) => [0, step, 0])) },
];
const futex = (command: number, result = 0): Call => ['futex', { args: [0, command], result }];
const [FUTEX_WAIT, FUTEX_WAKE] = [0, 1];
const queue = { ...SOME_FILE, inode: 5 };
const signalled: Call = ['kill', { args: [3, 10] }];

describe('things that are handed over', () => {
  it.each<[string, boolean, boolean]>([
    ['a semaphore', passes(semop(1, 1), semop(1, -1)), true],
    ['of another set', passes(semop(1, 1), semop(2, -1)), false],
    ['that is only taken', passes(semop(1, -1), semop(1, -1)), false],
    ['that is waited for to be zero', passes(semop(1, 1), semop(1, 0)), true],
    ['of which nothing is known', passes(semop(1), semop(1)), true],
    ['that is set', passes(['semctl', { args: [1, 0, 16, 3] }], semop(1, -1)), true],
    ['that is looked at', passes(['semctl', { args: [1, 0, 12] }], semop(1, -1)), false],
    ['that is not got', passes(semop(1, 1), ['semop', { args: [1, 0, 1], result: -11 }]), false],
    ['a futex', passes(futex(FUTEX_WAKE), futex(FUTEX_WAIT)), true],
    ['that was not waited for', passes(futex(FUTEX_WAKE), futex(FUTEX_WAIT, -11)), false],
    ['a message', passes(['msgsnd', { args: [4] }], ['msgrcv', { args: [4], result: 5 }]), true],
    [
      'of another queue',
      passes(['msgsnd', { args: [4] }], ['msgrcv', { args: [5], result: 5 }]),
      false,
    ],
    [
      'a message of POSIX',
      passes(['mq_timedsend', { file: queue }], ['mq_timedreceive', { file: queue, result: 5 }]),
      true,
    ],
    ['a signal that is fetched', passes(signalled, ['rt_sigtimedwait', { result: 10 }]), true],
    ['a signal that did not come', passes(signalled, ['rt_sigtimedwait', { result: -11 }]), false],
  ])('%s', (_, ordered, expected) => expect(ordered).toBe(expected));

  it('signals that are read, until the number stands for something else', () => {
    const descriptor = { id: 6, device: 0, inode: 9, mode: 0 };
    const made = { result: 5, file2: descriptor };
    const script = (second: string): Script =>
      new Script()
        .fork(1, 2)
        .call(1, 'signalfd4', undefined, made)
        .call(1, second, undefined, made)
        .mark(2, 'first')
        .kill(2, 1)
        .call(1, 'read', undefined, { file: descriptor, result: 128, args: [5, 0, 128] })
        .mark(1, 'then');
    expect(isOrdered(script('signalfd4'))).toBe(true);
    expect(isOrdered(script('eventfd2'))).toBe(false);
  });

  it('a futex whose holder has ended meanwhile', () => {
    const script = new Script().fork(1, 2).fork(1, 3).mark(2, 'first');
    const at = script.records.length;
    script
      .exit(2)
      .call(3, 'futex', undefined, { args: [0, FUTEX_WAIT] })
      .mark(3, 'then');
    expect(isOrdered(script)).toBe(false);
    const wait = script.records[at + 1]!;
    if (wait.kind === 'call') script.records[at + 1] = { ...wait, entry: wait.entry - 3 };
    expect(isOrdered(script)).toBe(true);
  });
});
