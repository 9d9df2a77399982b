import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../trace/records/call.ts';
import { Script } from '../../testdata/records.ts';
import { detectRaces } from '../detect.ts';
import { buildTimeline } from '../timeline.ts';

const SIGCHLD = 17;
const EINTR = -4;

class Parent extends Script {
  /** 2 writes f, ends, and 1 is told of it. */
  constructor() {
    super();
    this.fork(1, 2).write(2, '/f').exit(2);
  }
  /** The call began before all that came since 2 was made. */
  interrupted(name: string, result = EINTR): this {
    this.signal(2, 1, SIGCHLD).call(1, name, undefined, { result });
    const call = this.records.pop() as CallRecord;
    this.records.push({ ...call, entry: 4.5 });
    return this;
  }
}

function races({ records }: Script): string[] {
  const { races: found } = detectRaces(buildTimeline(records, '/'));
  return found.map(({ kind, thing }) => `${kind} ${thing.name}`);
}

describe('SIGCHLD', () => {
  it('does not order a parent that it finds at work', () => {
    const script = new Parent().signal(2, 1, SIGCHLD).read(1, '/f');
    expect(races(script)).toEqual(['load-store /f']);
  });

  it('does not order a child that is made after it with the one that has ended', () => {
    const script = new Parent().signal(2, 1, SIGCHLD).fork(1, 3).write(3, '/f');
    expect(races(script)).toEqual(['load-store /f']);
  });

  it.each(['rt_sigsuspend', 'pause', 'poll'])('orders a parent that waited for it: %s', (call) => {
    expect(races(new Parent().interrupted(call).read(1, '/f'))).toEqual([]);
  });

  it('does not order a parent that waits afterwards', () => {
    const script = new Parent()
      .signal(2, 1, SIGCHLD)
      .call(1, 'pause', undefined, { result: EINTR });
    expect(races(script.read(1, '/f'))).toEqual(['load-store /f']);
  });

  it('does not order a poll that was not interrupted', () => {
    expect(races(new Parent().interrupted('poll', 1).read(1, '/f'))).toEqual(['load-store /f']);
  });

  it('that was sent with kill is a signal like any other', () => {
    const script = new Script().fork(1, 2).write(2, '/f').kill(2, 1, SIGCHLD);
    expect(races(script.signal(2, 1, SIGCHLD).read(1, '/f'))).toEqual([]);
  });
});
