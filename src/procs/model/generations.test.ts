import { describe, expect, it } from 'vitest';
import { describeStep } from '../detect/describe-step.ts';
import { detectRaces } from '../detect/detect.ts';
import { buildTimeline } from '../detect/timeline.ts';
import { Script, SOME_FILE } from '../testdata/records.ts';

/** 1 makes 2 and 3. Open files have numbers of their own; there is one file on the disk. */
class Renaming extends Script {
  constructor() {
    super();
    this.fork(1, 2).fork(1, 3);
  }
  open(task: number, path: string, id: number, created?: true): this {
    const file2 = { ...SOME_FILE, inode: 77, id };
    return this.call(task, 'openat', path, { result: 3, file2, ...(created && { created }) });
  }
  rename(task: number, call = 'rename'): this {
    return this.call(task, call, '/f.new', { path2: '/f' });
  }
  transfer(task: number, call: 'pread64' | 'pwrite64', id: number): this {
    const file = { ...SOME_FILE, inode: 77, id };
    return this.call(task, call, undefined, { args: [3, 0, 5, 0], result: 5, file });
  }
}

function races({ records }: Script): string[] {
  const { races: found } = detectRaces(buildTimeline(records, '/'));
  const calls = found.map(({ parts }) => parts.map(({ step }) => describeStep(step, '/')));
  return calls.map((pair) => pair.map((call) => call.replace(/\(.*/, '')).join(' ‖ '));
}

/** 2 writes a new file. */
const written = (): Renaming =>
  new Renaming().call(2, 'stat', '/f').open(2, '/f.new', 1, true).transfer(2, 'pwrite64', 1);

describe.each(['rename', 'link'])('%s', (call) => {
  const published = (): Renaming => written().rename(2, call);
  const ofContents = (script: Script): string[] =>
    races(script).filter((race) => race.includes('pread64'));

  it('publishes what was written before', () => {
    expect(ofContents(published().open(3, '/f', 2).transfer(3, 'pread64', 2))).toEqual([]);
  });

  it('does not order what is written afterwards, through an old descriptor or a new one', () => {
    const script = published().transfer(2, 'pwrite64', 1).open(3, '/f', 2);
    expect(ofContents(script.transfer(3, 'pread64', 2))).toEqual(['pwrite64 ‖ pread64']);
    const again = published().open(2, '/f', 4).transfer(2, 'pwrite64', 4).open(3, '/f', 2);
    expect(ofContents(again.transfer(3, 'pread64', 2))).toEqual(['pwrite64 ‖ pread64']);
  });

  it('does not order those who had the file open before', () => {
    const script = written().open(3, '/f.new', 2).rename(2, call).transfer(3, 'pread64', 2);
    expect(ofContents(script)).toEqual(['pwrite64 ‖ pread64']);
  });
});

it('knows a file by the name that a link leaves it', () => {
  const script = written().rename(2, 'link').open(3, '/f.new', 2).transfer(3, 'pread64', 2);
  expect(races(script)).toContain('pwrite64 ‖ pread64');
});

it('counts a file that replaces another as a file of its own', () => {
  const script = new Renaming().open(3, '/f', 5).transfer(3, 'pread64', 5);
  script.open(2, '/f.new', 6, true).transfer(2, 'pwrite64', 6).rename(2);
  expect(races(script)).toEqual([]);
});
