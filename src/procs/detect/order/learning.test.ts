/** What a step tells its process without having waited for it orders what comes next, not the step. */
import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { Script, socket } from '../../testdata/records.ts';
import { describeStep } from '../describe-step.ts';
import { detectRaces } from '../detect.ts';
import { buildTimeline } from '../timeline.ts';

const ADDRESS = { data: decodeBytes(Buffer.from('\x01\x00/run/x\0', 'latin1')) };

class Sockets extends Script {
  /** Binds and listens. */
  serve(task: number): this {
    this.call(task, 'socket', undefined, { args: [1, 1], result: 3, file2: socket(1) });
    this.call(task, 'bind', undefined, { file: socket(1), ...ADDRESS });
    return this.call(task, 'listen', undefined, { file: socket(1) });
  }
  connect(task: number, result = 0): this {
    this.call(task, 'socket', undefined, { args: [1, 1], result: 3, file2: socket(2) });
    return this.call(task, 'connect', undefined, { file: socket(2), result, ...ADDRESS });
  }
}

function races({ records }: Script): string[] {
  const { races: found } = detectRaces(buildTimeline(records, '/'));
  return found.map(({ parts }) => parts.map(({ step }) => describeStep(step, '/')).join(' ‖ '));
}

describe('a connect that finds somebody listening', () => {
  const forks = (): Sockets => new Sockets().fork(1, 2).fork(1, 3);

  it('could have come too early', () => {
    const found = races(forks().serve(2).connect(3));
    expect(found.sort()).toEqual([
      expect.stringMatching(/^bind\(.*\) ‖ connect\(/),
      expect.stringMatching(/^listen\(.*\) ‖ connect\(/),
    ]);
  });

  it('lets what comes next know what was done before the listen', () => {
    const found = races(forks().write(2, '/f').serve(2).connect(3).read(3, '/f'));
    expect(found.filter((race) => race.includes('read'))).toEqual([]);
  });

  it('is in order if the caller was told', () => {
    expect(races(forks().serve(2).send(2, 7).receive(3, 7).connect(3))).toEqual([]);
  });
});

describe('getppid', () => {
  const INIT = { result: 1 };
  const adopted = (): Script => new Script(9).fork(9, 2).fork(2, 3).write(2, '/f').exit(2);

  it('could have named a parent that has ended', () => {
    expect(races(adopted().call(3, 'getppid', undefined, INIT))).toEqual([
      'exit(0) ‖ getppid() = 1',
    ]);
  });

  it('of a child that ended first could have named another parent', () => {
    const script = new Script(9).fork(9, 2).fork(2, 3).call(3, 'getppid', undefined, { result: 2 });
    expect(races(script.exit(3).exit(2))).toEqual(['getppid() = 2 ‖ exit(0)']);
  });

  it('of a child that was waited for could not', () => {
    const script = new Script(9).fork(9, 2).fork(2, 3).call(3, 'getppid', undefined, { result: 2 });
    expect(races(script.exit(3).wait(2, 3).exit(2))).toEqual([]);
  });

  it('that names another parent lets what comes next know of the end of the first', () => {
    const found = races(adopted().call(3, 'getppid', undefined, INIT).read(3, '/f'));
    expect(found).toEqual(['exit(0) ‖ getppid() = 1']);
  });
});
