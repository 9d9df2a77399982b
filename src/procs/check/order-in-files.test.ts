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
});
