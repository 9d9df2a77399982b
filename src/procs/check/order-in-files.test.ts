import { describe, expect, it } from 'vitest';
import { buildTimeline } from '../detect/timeline.ts';
import { Script, SOME_FILE, words } from '../testdata/records.ts';
import { orderInFiles } from './order-in-files.ts';

const FILE = { ...SOME_FILE, inode: 77 };
const [O_WRONLY, O_APPEND] = [1, 0o2000];
const [F_SETLK, F_RDLCK, F_WRLCK] = [6, 0, 1];

const found = ({ records }: Script) => orderInFiles(buildTimeline(records, '/'));

function opened(script: Script, task: number, flags: number): Script {
  const args = [-100, 0, O_WRONLY | flags];
  return script.call(task, 'openat', '/f', { args, result: 3, file2: { ...FILE, id: task } });
}
const wrote = (script: Script, task: number): Script =>
  script.call(task, 'write', undefined, {
    args: [3, 0, 1],
    result: 1,
    file: { ...FILE, id: task },
    position: 1,
  });

function writers(flags: number, ...tasks: number[]): Script {
  const script = new Script();
  for (const task of tasks) script.fork(1, task);
  for (const task of tasks) wrote(opened(script, task, flags), task);
  return script;
}

describe('files that show an order', () => {
  it('are those to which several only append', () => {
    expect([...found(writers(O_APPEND, 2, 3, 4)).appended]).toEqual([['/f', 3]]);
    expect([...found(writers(O_APPEND, 2)).appended]).toEqual([]);
    expect([...found(writers(0, 2, 3)).appended]).toEqual([]);
  });

  it('may be made before, but not meanwhile', () => {
    const before = wrote(opened(new Script(), 1, 0), 1)
      .fork(1, 2)
      .fork(1, 3);
    for (const task of [2, 3]) wrote(opened(before, task, O_APPEND), task);
    expect([...found(before).appended]).toEqual([['/f', 2]]);
    const meanwhile = wrote(opened(writers(O_APPEND, 2, 3).fork(1, 4), 4, 0), 4);
    expect([...found(meanwhile).appended]).toEqual([]);
  });

  it('are those that are locked by whoever writes to them', () => {
    const locked = (type: number): Script => {
      const script = new Script();
      for (const task of [2, 3]) {
        opened(script.fork(1, task), task, 0).call(task, 'fcntl', undefined, {
          args: [3, F_SETLK],
          file: { ...FILE, id: task },
          data: words(2, type, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
        });
        wrote(script, task);
      }
      return script;
    };
    expect([...found(locked(F_WRLCK)).locked]).toEqual(['/f']);
    expect([...found(locked(F_RDLCK)).locked]).toEqual([]);
    expect([...found(wrote(opened(locked(F_WRLCK).fork(1, 4), 4, 0), 4)).locked]).toEqual([]);
  });

  it('are those that are used under one lock', () => {
    /** A shell that has a lock taken for it, and reads and writes before or after that. */
    const job = (script: Script, shell: number, early: string, late: string): Script => {
      const steps = (names: string): void => {
        if (names.includes('r')) script.read(shell, '/n', 0);
        if (names.includes('w')) script.write(shell, '/n', 0);
      };
      script.fork(1, shell);
      steps(early);
      script.fork(shell, shell + 10);
      const lock = { ...FILE, inode: 5 };
      script.call(shell, 'openat', '/lock', { result: 9, file2: lock });
      script.call(shell + 10, 'flock', undefined, { args: [9, 2], file: lock });
      script.exit(shell + 10).wait(shell, shell + 10);
      steps(late);
      return script;
    };
    const all = job(job(new Script().write(1, '/n', 0), 2, '', 'rw'), 3, '', 'rw');
    expect([...found(all).locked]).toEqual(['/n']);
    const onlyWrites = job(job(new Script(), 2, 'r', 'w'), 3, 'r', 'w');
    expect([...found(onlyWrites).locked]).toEqual([]);
    const byChance = job(new Script(), 2, 'r', 'w').exit(2).wait(1, 2);
    expect([...found(job(byChance, 3, 'r', 'w')).locked]).toEqual([]);
    const onlyOne = job(new Script(), 2, '', 'rw').fork(1, 3).read(3, '/n', 0).write(3, '/n', 0);
    expect([...found(onlyOne).locked]).toEqual([]);
  });
});
