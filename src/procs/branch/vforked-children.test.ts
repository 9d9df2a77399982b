import { describe, expect, it } from 'vitest';
import { syscallName } from '../../linux/syscalls.ts';
import { detectRaces } from '../detect/detect.ts';
import { buildTimeline } from '../detect/timeline.ts';
import type { Course } from '../replay/course.ts';
import { buildScript } from '../replay/script.ts';
import { Script } from '../testdata/records.ts';
import { Branches } from './branch.ts';

/** The branch of the only race on the file. */
function branchOf({ records }: Script, file: string): Course | undefined {
  const timeline = buildTimeline(records, '/');
  const branches = new Branches(timeline, buildScript(records)!);
  const race = detectRaces(timeline).races.find(({ thing }) => thing.name === file)!;
  return branches.of(race);
}

/** The calls that a process makes before everybody is let go. */
function callsInside({ script, inside }: Course, pid: number): string[] {
  const task = script.tasks.find(({ start }) => start.pid === pid)!;
  return task.items
    .slice(0, inside?.get(task) ?? 0)
    .flatMap(({ record }) => (record.kind === 'call' ? [syscallName(record.number)] : []));
}

/** By the time that exec returns, the child has long been another program, and its parent free. */
const spawn = (script: Script, child: number): Script =>
  script.vfork(1, child).exec(child, 'sh').call(child, 'execve', '/bin/sh');

describe('a parent that called vfork', () => {
  it('gets on: the exec of a child that nobody else needs is let go as well', () => {
    const script = new Script();
    for (const child of [2, 3, 4]) spawn(script, child);
    const course = branchOf(script.read(2, '/f').write(4, '/f'), '/f')!;
    expect(callsInside(course, 3)).toEqual(['execve']);
  });

  it('is not waited for where nothing of it is needed', () => {
    const script = spawn(new Script().fork(1, 2), 3).read(2, '/f').write(3, '/f');
    const course = branchOf(spawn(script, 4), '/f')!;
    expect(callsInside(course, 4)).toEqual([]);
  });
});
