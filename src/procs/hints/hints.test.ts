import { describe, expect, it } from 'vitest';
import { detectRaces } from '../detect/detect.ts';
import { buildTimeline } from '../detect/timeline.ts';
import { OpenFlag } from '../model/open-flags.ts';
import { Script, SOME_FILE } from '../testdata/records.ts';
import { hintFor } from './hints.ts';

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = OpenFlag;
const ENOENT = { result: -2 };
const EEXIST = { result: -17 };
const fileNumber = (path: string): number =>
  [...path].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7);
const file = (path: string) => ({ ...SOME_FILE, inode: fileNumber(path) });

/** Each kind of hint once, by its beginning. */
function hints({ records }: Script): string[] {
  const timeline = buildTimeline(records, '/w');
  const found = detectRaces(timeline).races.map((race) => hintFor(race, timeline, '/w'));
  return [...new Set(found.filter((hint) => hint !== undefined))];
}

/** Two children of some program, each with a command. */
const children = (parent: string, one: string[], other: string[]): Script =>
  new Script()
    .exec(1, parent)
    .fork(1, 2)
    .exec(2, ...one)
    .fork(1, 3)
    .exec(3, ...other);
const twoPrograms = (): Script => children('root', ['a'], ['b']);

const open = (script: Script, task: number, path: string, flags: number, created = false): Script =>
  script.call(task, 'openat', path, {
    args: [-100, 0, flags],
    result: 3,
    file2: file(path),
    ...(created && { created }),
  });
const move = (script: Script, call: string, task: number, path: string): Script =>
  script.call(task, call, undefined, { args: [3, 0, 9], result: 9, file: file(path), position: 9 });

describe('Makefiles', () => {
  const obj = (script: Script): Script =>
    open(script.call(2, 'mkdir', '/w/obj'), 3, '/w/obj/a.o', O_WRONLY | O_CREAT, true);

  it('name the target that lacks a folder, by what it makes or says', () => {
    expect(hints(obj(children('make', ['mkdir', 'obj'], ['cc', '-c', 'a.c'])))).toEqual([
      'make does not know that obj/a.o needs obj: add it to that rule, `obj/a.o: | obj`',
    ]);
    const said = obj(children('make', ['mkdir', 'obj'], ['sh', '-c', 'cc -c -o out/a.o a.c']));
    expect(hints(said)[0]).toMatch(/`out\/a.o: \| obj`$/);
    expect(hints(obj(children('sh', ['mkdir', 'obj'], ['cc', '-c', 'a.c'])))).toEqual([]);
  });

  it('name the recipe if it makes nothing', () => {
    const script = open(
      children('make', ['gen'], ['test', 'x']),
      2,
      '/w/x',
      O_WRONLY | O_CREAT,
      true,
    );
    expect(hints(script.call(3, 'stat', '/w/x', ENOENT))).toEqual([
      'make does not know that `test x` needs x: add it to that rule, `…: x`',
    ]);
  });

  it('do not lack what both make, but may run a recipe twice', () => {
    const both = (one: string[], other: string[]): Script => {
      const flags = O_WRONLY | O_CREAT | O_TRUNC;
      const script = open(children('make', one, other), 2, '/w/g.c', flags, true);
      move(script, 'write', 2, '/w/g.c');
      return move(open(script, 3, '/w/g.c', flags), 'write', 3, '/w/g.c');
    };
    expect(hints(both(['bison', 'g.y'], ['bison', 'g.y']))[0]).toMatch(
      /^make runs `bison g.y` twice at the same time, and both write g.c: /,
    );
    expect(hints(both(['bison', 'g.y'], ['bison', 'h.y']))).toEqual([]);
    const folders = children('make', ['mkdir', '-p', 'obj'], ['mkdir', '-p', 'obj']);
    expect(hints(folders.call(2, 'mkdir', '/w/obj').call(3, 'mkdir', '/w/obj', EEXIST))).toEqual(
      [],
    );
  });
});

describe('looking before creating', () => {
  const flags = O_WRONLY | O_CREAT;

  it('is to be one step', () => {
    const script = twoPrograms()
      .call(2, 'stat', '/w/lock', ENOENT)
      .call(3, 'stat', '/w/lock', ENOENT);
    open(open(script, 2, '/w/lock', flags, true), 3, '/w/lock', flags);
    expect(hints(script)[0]).toMatch(
      /^looking for lock and creating it must be one step: .*O_EXCL/,
    );
  });

  it('is no mistake with O_EXCL, nor if only one does', () => {
    const exclusive = twoPrograms().call(2, 'stat', '/w/lock', ENOENT);
    open(exclusive, 2, '/w/lock', flags | O_EXCL, true);
    expect(hints(exclusive.call(3, 'stat', '/w/lock'))).toEqual([]);
    const reader = twoPrograms().call(2, 'stat', '/w/lock', ENOENT);
    expect(hints(open(reader, 2, '/w/lock', flags, true).call(3, 'stat', '/w/lock'))).toEqual([]);
  });

  it('is not needed for folders', () => {
    const twice = (one: string[]): Script =>
      children('root', one, ['b']).call(2, 'mkdir', '/w/out').call(3, 'mkdir', '/w/out', EEXIST);
    expect(hints(twice(['mkdir', 'out']))[0]).toMatch(/^use `mkdir -p out`/);
  });
});

describe('contents', () => {
  it('that both read and write back need a lock', () => {
    const add = (script: Script, task: number): Script => {
      move(open(script, task, '/w/n', O_RDWR), 'read', task, '/w/n');
      return move(script, 'write', task, '/w/n');
    };
    const script = twoPrograms();
    add(add(script, 2), 3);
    expect(hints(script)).toEqual([
      'hold a lock from reading n to writing it back, such as `flock` on a file beside it',
    ]);
    const oneReads = move(open(add(twoPrograms(), 2), 3, '/w/n', O_RDWR), 'read', 3, '/w/n');
    expect(hints(oneReads)).toEqual([]);
  });

  it('that both add to need O_APPEND, unless somebody empties them', () => {
    const both = (one: number, other: number): string[] => {
      const script = move(open(twoPrograms(), 2, '/w/log', O_WRONLY | one), 'write', 2, '/w/log');
      return hints(move(open(script, 3, '/w/log', O_WRONLY | other), 'write', 3, '/w/log'));
    };
    expect(both(0, O_APPEND)[0]).toMatch(/^open log with O_APPEND/);
    expect(both(O_APPEND, O_APPEND)).toEqual([]);
    expect(both(0, O_TRUNC)).toEqual([]);
  });
});

describe('names and modes', () => {
  it('a file need not be removed before another takes its name', () => {
    const replaced = (): Script => twoPrograms().call(2, 'unlink', '/w/c');
    const renamed = replaced().call(2, 'rename', '/w/c.new', { path2: '/w/c' });
    expect(hints(renamed.call(3, 'stat', '/w/c'))).toEqual([
      'do not remove c first: renaming the new file to c replaces it in one step',
    ]);
    expect(hints(replaced().call(3, 'stat', '/w/c'))).toEqual([]);
  });

  it('a file is to have its mode from the beginning', () => {
    const chmod = (script: Script): Script =>
      script.call(2, 'chmod', '/w/key').call(3, 'access', '/w/key');
    const made = chmod(open(twoPrograms(), 2, '/w/key', O_WRONLY | O_CREAT, true));
    expect(hints(made)[0]).toMatch(/^create key with its final mode/);
    expect(hints(chmod(twoPrograms()))).toEqual([]);
  });
});

describe('shells', () => {
  const touched = (script: Script): Script => script.write(2, '/w/f').read(3, '/w/f');

  it('do not wait for jobs in the background', () => {
    const background = (...jobs: number[]): Script => {
      const script = children('sh', ['a'], ['b']);
      for (const job of jobs) script.call(job, 'openat', '/dev/null', { args: [-100, 0, 0] });
      return touched(script);
    };
    expect(hints(background(2))).toEqual([
      'sh does not wait for the job in the background: put `wait` before b needs f',
    ]);
    expect(hints(background(2, 3))).toEqual([]);
    expect(hints(background())).toEqual([]);
  });

  it('do not wait for process substitutions', () => {
    const script = new Script().exec(1, 'bash').fork(1, 2).exec(2, 'a').fork(1, 4).exit(4);
    const went = script.wait(1, 4).fork(1, 3).exec(3, 'b');
    expect(hints(touched(went))[0]).toMatch(/^bash does not wait for a process substitution/);
  });

  it('may empty what the beginning of the pipeline reads', () => {
    const pipeline = (script: Script): Script => {
      move(open(script, 2, '/w/f', 0), 'read', 2, '/w/f');
      open(script, 3, '/w/f', O_WRONLY | O_TRUNC);
      return script;
    };
    const piped = pipeline(children('sh', ['sort', 'f'], ['tee', 'f']))
      .send(2, 7)
      .receive(3, 7);
    expect(hints(piped)[0]).toMatch(/^the end of the pipeline empties f /);
    expect(hints(pipeline(children('sh', ['sort', 'f'], ['tee', 'f'])))).toEqual([]);
  });
});

it('a signal may come before its handler is there', () => {
  const signalled = (program: string): Script =>
    children('root', ['sender'], [program])
      .call(3, 'rt_sigaction', undefined, { args: [10] })
      .kill(2, 3)
      .signal(2, 3);
  expect(hints(signalled('sh'))).toEqual([
    'set the trap for SIGUSR1 first, and let sender send it only when sh has said that it is ready',
  ]);
  expect(hints(signalled('server'))[0]).toMatch(
    /^set up the handler for SIGUSR1, or block it, first/,
  );
});
