import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../trace/records/call.ts';
import { pipe, Script } from '../../testdata/records.ts';
import { detectRaces } from '../detect.ts';
import { buildTimeline } from '../timeline.ts';

const READ = 0;
const WRITE = 1;
const READ_WRITE = 2;
const NONBLOCK = 0o4000;

/** 1 makes 2 and 3. */
class Fifo extends Script {
  constructor() {
    super();
    this.fork(1, 2).fork(1, 3);
  }
  /** Two that open it and wait for each other. */
  openBoth([task, flags]: [number, number], [other, otherFlags]: [number, number]): this {
    const opened = (how: number) => ({ args: [-100, 0, how], result: 3, file2: pipe(7) });
    this.call(task, 'openat', '/fifo', opened(flags));
    this.call(other, 'openat', '/fifo', opened(otherFlags));
    const [first, second] = this.records.splice(-2) as [CallRecord, CallRecord];
    this.records.push({ ...first, exit: second.entry + 0.5 }, second);
    return this;
  }
}

function races({ records }: Script): string[] {
  const { races: found } = detectRaces(buildTimeline(records, '/'));
  return found.map(({ thing }) => thing.name);
}

/** 2 writes f and opens the FIFO; 3 writes g and opens it too; then they read each other's file. */
function meeting(first: number, second: number): Fifo {
  const script = new Fifo().write(2, '/f').write(3, '/g');
  script.openBoth([2, first], [3, second]);
  return script.read(2, '/g').read(3, '/f');
}

describe('opening the two ends of a FIFO', () => {
  it('puts what each did before in front of what the other does next', () => {
    expect(races(meeting(READ, WRITE))).toEqual([]);
    expect(races(meeting(WRITE, READ))).toEqual([]);
  });

  it('is no meeting of two at the same end', () => {
    expect(races(meeting(READ, READ)).sort()).toEqual(['/f', '/g']);
  });

  it('orders only the one who waits', () => {
    expect(races(meeting(READ | NONBLOCK, WRITE))).toEqual(['/g']);
    expect(races(meeting(READ, WRITE | NONBLOCK))).toEqual(['/f']);
    expect(races(meeting(READ, READ_WRITE))).toEqual(['/f']);
    expect(races(meeting(READ_WRITE, READ_WRITE)).sort()).toEqual(['/f', '/g']);
  });

  it('says nothing of what is done after it', () => {
    const script = meeting(READ, WRITE).write(2, '/h').read(3, '/h');
    expect(races(script)).toEqual(['/h']);
  });
});
