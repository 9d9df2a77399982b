/** The examples of the RacePro paper, written by hand as a recorder would have seen them. */
import { describe, expect, it } from 'vitest';
import { pipe, Script, SOME_FILE } from '../testdata/records.ts';
import { describeStep } from './describe-step.ts';
import { detectRaces } from './detect.ts';
import { buildTimeline } from './timeline.ts';

/** `wait-wakeups: 2 exit(0) | 3 exit(0) | 1 wait4(-1) = 2` */
function racesIn({ records }: Script): string[] {
  const { races } = detectRaces(buildTimeline(records, '/'));
  return races.map(({ kind, parts, withoutConsequence }) => {
    const told = parts.map(({ step }) => `${step.process} ${describeStep(step, '/')}`).join(' | ');
    return `${kind}: ${told}${withoutConsequence ? ` (${withoutConsequence})` : ''}`;
  });
}

describe('figure 7: ps | grep X', () => {
  const proc = { ...SOME_FILE, inode: 1, mode: 0o040555, device: 9 };
  const commandLine = { ...SOME_FILE, inode: 2, device: 9 };
  const script = new Script()
    .makePipe(1, 7, [3, 4])
    .fork(1, 2)
    .call(2, 'execve', '/bin/ps')
    .exec(2, 'ps')
    .call(2, 'openat', '/proc', { args: [-100, 0, 0o200000], result: 5, file2: proc })
    .fork(1, 3)
    .call(2, 'getdents64', undefined, { file: proc, result: 100, args: [5] })
    .call(3, 'execve', '/bin/grep')
    .exec(3, 'grep')
    .call(2, 'openat', '/proc/3/cmdline', { args: [-100], result: 6, file2: commandLine })
    .call(2, 'read', undefined, { file: commandLine, result: 6, args: [6, 0, 100] })
    .send(2, 7, 10)
    .receive(3, 7, 10)
    .exit(2)
    .exit(3)
    .wait(1, 2)
    .wait(1, 3)
    .write(1, '/done');

  it('has exactly the three races that the paper names', () => {
    const { races } = detectRaces(buildTimeline(script.records, '/'));
    const told = races.map(({ kind, thing, parts }) => {
      const steps = parts.map(({ step }) => `${step.process} ${describeStep(step, '/')}`);
      return [`${kind}, ${thing.name}:`, ...steps].join(' | ');
    });
    expect(told.sort()).toEqual([
      'load-store, /proc: | 1 fork() = 3 | 2 getdents64("proc")',
      'load-store, process 3: | 3 execve("bin/grep") | 2 read("proc/3/cmdline")',
      'wait-wakeups, children of process 1: | 2 exit(0) | 3 exit(0) | 1 wait4(-1) = 2',
    ]);
  });

  it('has none between the ends of the pipe', () => {
    expect(racesIn(script).filter((race) => race.includes('pipe'))).toEqual([]);
  });
});

describe('figure 8: a read that may get the bytes of one write or of two', () => {
  const start = (): Script => new Script().makePipe(1, 7).fork(1, 2);
  const read20 = (script: Script, result: number): Script =>
    script.call(2, 'read', undefined, { file: pipe(7), args: [3, 0, 20], result });
  const bytes = (script: Script): string[] =>
    racesIn(script).map((race) => race.replace(/"[^"]*"/g, 'P'));

  it('(a) gets both', () => {
    expect(bytes(read20(start().send(1, 7, 10).send(1, 7, 10), 20))).toEqual([
      'wait-wakeups: 1 write(P) | 1 write(P) | 2 read(P)',
    ]);
  });

  it('(b) gets the first', () => {
    expect(bytes(read20(start().send(1, 7, 10), 10).send(1, 7, 10))).toEqual([
      'wait-wakeups: 1 write(P) | 2 read(P) | 1 write(P) (the reader leaves the rest unread)',
    ]);
  });

  it('does not matter to one who goes on reading', () => {
    const script = read20(start().send(1, 7, 10).send(1, 7, 10), 20).send(1, 7, 1);
    expect(bytes(script.receive(2, 7, 1))).toEqual([
      'wait-wakeups: 1 write(P) | 1 write(P) | 2 read(P) (the reader goes on reading)',
    ]);
  });

  it('cannot be where the read got all it asked for, or was made to wait for the second write', () => {
    const full = start().send(1, 7, 10).receive(2, 7, 10).send(1, 7, 10);
    expect(bytes(full)).toEqual([]);
    const told = start().makePipe(1, 8).send(1, 7, 10).send(1, 7, 10).send(1, 8).receive(2, 8);
    expect(bytes(read20(told, 20))).toEqual([]);
    const answered = read20(start().makePipe(1, 8).send(1, 7, 10), 10)
      .send(2, 8)
      .receive(1, 8);
    expect(bytes(answered.send(1, 7, 10))).toEqual([]);
  });
});
