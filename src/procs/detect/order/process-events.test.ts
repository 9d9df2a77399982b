import { describe, expect, it } from 'vitest';
import { errnoNumber } from '../../../linux/errno.ts';
import { isOrdered } from '../../testdata/ordered.ts';
import { Script } from '../../testdata/records.ts';

const ECHILD = -errnoNumber('ECHILD')!;
const child = (): Script => new Script().fork(1, 2);
const wait = (script: Script, which: number, result = ECHILD): Script =>
  script.call(1, 'wait4', undefined, { args: [which], result });

describe('births and ends', () => {
  it.each<[string, Script, boolean]>([
    ['before the fork', new Script().mark(1, 'first').fork(1, 2).mark(2, 'then'), true],
    ['after the fork', child().mark(1, 'first').mark(2, 'then'), false],
    [
      'before an end that is waited for',
      child().mark(2, 'first').exit(2).wait(1, 2).mark(1, 'then'),
      true,
    ],
    ['before an end that is not', child().mark(2, 'first').exit(2).mark(1, 'then'), false],
    [
      'another’s end',
      child().fork(1, 3).mark(2, 'first').exit(2).exit(3).wait(1, 3).mark(1, 'then'),
      false,
    ],
    ['if no child is left', wait(child().mark(2, 'first').exit(2), -1).mark(1, 'then'), true],
    ['if that child is gone', wait(child().mark(2, 'first').exit(2), 2).mark(1, 'then'), true],
    ['if another is gone', wait(child().mark(2, 'first').exit(2), 9).mark(1, 'then'), false],
    ['if a child still runs', wait(child().mark(2, 'first').exit(2), -1, 0).mark(1, 'then'), false],
    [
      'if it was waited for before',
      wait(child().mark(2, 'first').exit(2).wait(1, 2), -1).mark(1, 'then'),
      true,
    ],
    ['in a vfork that goes on', new Script().vfork(1, 2).mark(2, 'first').mark(1, 'then'), true],
    [
      'in a vfork, before exec',
      new Script().vfork(1, 2).mark(2, 'first').exec(2, 'x').mark(1, 'then'),
      true,
    ],
    [
      'in a vfork, after exec',
      new Script().vfork(1, 2).exec(2, 'x').mark(2, 'first').mark(1, 'then'),
      false,
    ],
    ['in another thread', new Script().thread(1, 5).mark(5, 'first').mark(1, 'then'), true],
    [
      'in a thread that is waited for with its process',
      child().thread(2, 5).mark(5, 'first').exit(5).exit(2).wait(1, 2).mark(1, 'then'),
      true,
    ],
    [
      'under a number that was used again',
      child().exit(2).wait(1, 2).fork(1, 2).mark(2, 'first').mark(1, 'then'),
      false,
    ],
  ])('%s', (_, script, expected) => expect(isOrdered(script)).toBe(expected));
});

describe('getppid', () => {
  const orphan = (result: number): Script =>
    new Script()
      .fork(1, 2)
      .fork(2, 3)
      .mark(2, 'first')
      .exit(2)
      .call(3, 'getppid', undefined, { result });
  it('comes after the end of the parent, if it gives another number', () => {
    expect(isOrdered(orphan(1).mark(3, 'then'))).toBe(true);
    expect(isOrdered(orphan(2).mark(3, 'then'))).toBe(false);
  });
});

describe('a call that wakes others', () => {
  /** 2 writes into a pipe, for longer than it takes 1 to read and go on. */
  const slow = (isWrite: boolean): Script => {
    const script = new Script().makePipe(1, 7).fork(1, 2).mark(2, 'first');
    const at = script.records.length;
    if (isWrite) script.send(2, 7).receive(1, 7);
    else script.write(2, '/f').call(1, 'stat', '/g');
    const call = script.records[at]!;
    if (call.kind === 'call') script.records[at] = { ...call, exit: call.exit + 10 };
    return script.mark(1, 'then');
  };
  it('counts by its beginning', () => {
    expect(isOrdered(slow(true))).toBe(true);
    expect(isOrdered(slow(false))).toBe(false);
  });
});

describe('inotify', () => {
  const watch = { id: 70, device: 0, inode: 9, mode: 0 };
  const watching = (path: string): Script =>
    new Script()
      .call(1, 'inotify_init1', undefined, { result: 5, file2: watch })
      .call(1, 'inotify_add_watch', path, { args: [5], result: 1, file: watch })
      .fork(1, 2)
      .mark(2, 'first');
  const told = (script: Script): boolean =>
    isOrdered(
      script
        .call(1, 'read', undefined, { args: [5, 0, 99], result: 16, file: watch })
        .mark(1, 'then'),
    );
  it('tells of changes to what is watched', () => {
    expect(told(watching('/d').call(2, 'mkdir', '/d/x'))).toBe(true);
    expect(told(watching('/d/x').call(2, 'unlink', '/d/x'))).toBe(true);
    expect(told(watching('/d').call(2, 'mkdir', '/e/x'))).toBe(false);
    expect(told(watching('/d').call(2, 'stat', '/d/x'))).toBe(false);
    expect(told(watching('/d').call(2, 'mkdir', '/d/x', { result: -17 }))).toBe(false);
  });
});
