import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import { Script, words } from '../../testdata/records.ts';
import { describeStep } from '../describe-step.ts';
import { buildTimeline } from '../timeline.ts';
import { detectSignalRaces } from './engine.ts';

const USR1 = 10;
const [SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK] = [0, 1, 2];

/** `met rt_sigaction(SIGUSR1)`, with the reason if it makes no difference. */
function racesIn({ records }: Script): string[] {
  return detectSignalRaces(buildTimeline(records, '/')).map((race) => {
    const met = race.parts.find(({ role }) => role === 'load')!;
    const times = race.occurrences > 1 ? ` × ${race.occurrences}` : '';
    return `${describeStep(met.step, '/')}${times}${race.withoutConsequence ? ' (no matter)' : ''}`;
  });
}

/** A child, 2, that is about to be signalled by its parent. */
const parentAndChild = (): Script => new Script().makePipe(1, 7).fork(1, 2).exec(2, 'child');
const handle = (script: Script): Script =>
  script.call(2, 'rt_sigaction', undefined, { args: [USR1], data: words(8, 1) });
const mask = (script: Script, how: number, ...signals: number[]): Script => {
  const bits = signals.reduce((sum, signal) => sum | (1n << BigInt(signal - 1)), 0n);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(bits);
  return script.call(2, 'rt_sigprocmask', undefined, { args: [how], data: decodeBytes(bytes) });
};
const signalled = (script: Script): Script => script.kill(1, 2, USR1).signal(1, 2, USR1);

describe('signal races', () => {
  it('are with the handler that may not be there yet, or else with a change', () => {
    expect(racesIn(signalled(handle(parentAndChild())))).toEqual(['rt_sigaction(SIGUSR1)']);
    const both = signalled(handle(parentAndChild()).write(2, '/f'));
    expect(racesIn(both)).toEqual(['rt_sigaction(SIGUSR1)']);
    expect(racesIn(signalled(parentAndChild().write(2, '/f')))).toEqual(['write("f")']);
  });

  it('make no difference if the target only looked at things', () => {
    expect(racesIn(signalled(parentAndChild().read(2, '/f')))).toEqual(['read("f") (no matter)']);
  });

  it('are not with what the target has told the sender of, through a pipe', () => {
    const ready = handle(parentAndChild()).send(2, 7).receive(1, 7);
    expect(racesIn(signalled(ready))).toEqual([]);
    expect(racesIn(signalled(handle(parentAndChild()).send(2, 7)))).toEqual([
      'rt_sigaction(SIGUSR1)',
    ]);
  });

  it('are with what came after it was blocked too, since it could have come before that', () => {
    const blocked = mask(handle(mask(parentAndChild(), SIG_BLOCK, USR1)), SIG_UNBLOCK, USR1);
    expect(racesIn(signalled(blocked))).toEqual(['rt_sigaction(SIGUSR1)']);
  });

  it('are, if only another signal was blocked, or was blocked and restored', () => {
    const other = mask(handle(mask(parentAndChild(), SIG_BLOCK, 17)), SIG_SETMASK);
    expect(racesIn(signalled(other))).toEqual(['rt_sigaction(SIGUSR1)']);
  });

  it('know that a child inherits what is blocked', () => {
    const script = new Script();
    const bits = words(8, 1 << (USR1 - 1));
    script.call(1, 'rt_sigprocmask', undefined, { args: [SIG_BLOCK], data: bits }).fork(1, 2);
    expect(racesIn(signalled(handle(script.exec(2, 'child'))))).toEqual([]);
  });

  it('are told of the call that sent it to this target', () => {
    const script = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3).kill(1, 2, USR1);
    handle(script).send(2, 7).receive(1, 7).kill(1, 3, USR1).signal(1, 2, USR1);
    expect(racesIn(script)).toEqual(['rt_sigaction(SIGUSR1)']);
  });

  it('are folded by who sends what to whom, with a count', () => {
    const script = parentAndChild();
    for (let i = 0; i < 3; i++) signalled(handle(script));
    expect(racesIn(script)).toEqual(['rt_sigaction(SIGUSR1) × 3']);
  });

  it('are not about signals to oneself, from the kernel, or of the end of a child', () => {
    const toOneself = handle(parentAndChild()).kill(2, 2, USR1).signal(2, 2, USR1);
    expect(racesIn(toOneself)).toEqual([]);
    expect(racesIn(handle(parentAndChild()).signal(0, 2, USR1))).toEqual([]);
    const ended = new Script().fork(1, 2).write(1, '/f').exit(2).signal(2, 1, 17);
    expect(racesIn(ended)).toEqual([]);
  });
});

describe('a signal as order', () => {
  const races = ({ records }: Script): boolean => {
    const { steps, graph } = buildTimeline(records, '/');
    const [write, read] = ['write', 'read'].map((wanted) =>
      steps.find(({ record }) => record.kind === 'call' && syscallName(record.number) === wanted),
    );
    return graph.concurrent(write!.event, read!.event);
  };

  it('puts what was done before the kill, and not what was done after it, before the arrival', () => {
    const two = (): Script => new Script().fork(1, 2);
    expect(races(two().write(1, '/f').kill(1, 2).signal(1, 2).read(2, '/f'))).toBe(false);
    expect(races(two().kill(1, 2).write(1, '/f').signal(1, 2).read(2, '/f'))).toBe(true);
    const group = two().call(1, 'kill', undefined, { args: [0, USR1] });
    expect(races(group.write(1, '/f').signal(1, 2).read(2, '/f'))).toBe(true);
  });
});
