import { describe, expect, it } from 'vitest';
import { pipe, Script } from '../../testdata/records.ts';
import { describeStep } from '../describe-step.ts';
import { buildTimeline } from '../timeline.ts';
import { detectSignalRaces } from './engine.ts';

const USR1 = 10;
const EINTR = -4;

/** What the signals could have come after. */
function laterThan({ records }: Script): string[] {
  return detectSignalRaces(buildTimeline(records, '/')).flatMap(({ parts }) => {
    const [met, arrival] = (['load', 'wait'] as const).map(
      (wanted) => parts.find(({ role }) => role === wanted)!.step,
    );
    return met!.event > arrival!.event ? [describeStep(met!, '/')] : [];
  });
}

/** 1 is in a call when 2 signals it; 3 is beside them. */
class Interruption extends Script {
  readonly #entry: number;

  constructor() {
    super();
    this.makePipe(1, 7).fork(1, 2).fork(1, 3);
    this.#entry = (this.records.at(-1) as { sequence: number }).sequence + 0.5;
  }

  interrupt(): this {
    return this.kill(2, 1, USR1).signal(2, 1, USR1);
  }

  /** The call that it was in is over. */
  over(name: string, details: Parameters<Script['call']>[3] = {}): this {
    return this.call(1, name, undefined, { entry: this.#entry, ...details });
  }
}

const line = { file: pipe(7), args: [3, 0, 1], result: 1 };

describe('a signal that interrupted a call', () => {
  it('could have come later, if something else ended the call when it went on', () => {
    expect(laterThan(new Interruption().interrupt().send(3, 7).over('read', line))).toHaveLength(1);
    expect(laterThan(new Interruption().send(3, 7).interrupt().over('read', line))).toHaveLength(1);
  });

  it('could not, if only its sender ended the call, and that after it', () => {
    expect(laterThan(new Interruption().interrupt().send(2, 7).over('read', line))).toEqual([]);
  });

  it('could have come later, if the call was made again, and something else ended that', () => {
    const asleep = (): Interruption =>
      new Interruption().interrupt().over('rt_sigsuspend', { result: EINTR });
    const again = (script: Script, from: number): Script => {
      const entry = (script.records.at(-1) as { exit: number }).exit + 0.5;
      script.exit(from).signal(from, 1, 17);
      return script.call(1, 'rt_sigsuspend', undefined, { entry, result: EINTR });
    };
    expect(laterThan(again(asleep(), 3))).toEqual(['rt_sigsuspend() = EINTR']);
    expect(laterThan(again(asleep(), 2))).toEqual([]);
    expect(laterThan(asleep().exit(3))).toEqual([]);
  });

  it('could not, if it came between two calls', () => {
    const between = new Interruption().interrupt().send(3, 7);
    expect(laterThan(between.call(1, 'read', undefined, line))).toEqual([]);
  });
});
