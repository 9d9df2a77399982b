import { describe, expect, it } from 'vitest';
import { err, ok, type Result } from '../base/result.ts';
import { chooseEvent, type Machine } from './choose-event.ts';

const TICK = 4_000_000;
const refused = (code: string): Result<never> => err(Object.assign(new Error(code), { code }));

const machine = (exactness: Result<number>, clock: Result<void> = ok(undefined)): Machine => ({
  ...{ tickNs: () => TICK, hasClock: () => clock, exactness: () => exactness },
});

const bareMetal = machine(ok(2));
const virtual = machine(refused('ENOENT'));
const locked = machine(refused('EACCES'), refused('EACCES'));

describe('the event', () => {
  it('is what the processor counts, where it does', () => {
    expect(chooseEvent(undefined, bareMetal)).toMatchObject({
      kind: 'instructions',
      perf: { type: 0, config: 1n, precise: 2 },
    });
    expect(chooseEvent({ instructions: 200_000 }, bareMetal).period).toBe(200_000);
  });

  it('is what the processor counts, also if it does not name the instruction', () => {
    expect(chooseEvent(undefined, machine(ok(0)))).toMatchObject({
      ...{ kind: 'instructions', perf: { precise: 0 }, why: 'the processor counts instructions' },
    });
  });

  it('is a timer of one tick otherwise', () => {
    expect(chooseEvent(undefined, virtual)).toMatchObject({
      ...{ kind: 'timer', period: TICK, shortest: TICK },
      why: 'there are no hardware counters of instructions',
    });
    expect(chooseEvent({ ns: 20_000_000 }, bareMetal)).toMatchObject({
      ...{ kind: 'timer', period: 20_000_000 },
    });
  });

  it("is perf's clock only if that is finer than a tick", () => {
    expect(chooseEvent({ ns: 100_000 }, virtual)).toMatchObject({
      ...{ kind: 'cpu-clock', period: 100_000 },
    });
    expect(chooseEvent({ instructions: 100_000 }, virtual).kind).toBe('cpu-clock');
    expect(chooseEvent({ ns: TICK }, virtual).kind).toBe('timer');
  });

  it('is a timer where perf is forbidden, and that is said if it matters', () => {
    const usual = chooseEvent(undefined, locked);
    expect(usual.kind).toBe('timer');
    expect(usual.why).toMatch(/^hardware counters are not allowed: .*(paranoid|PERFMON)/i);
    expect([usual.shortcoming, usual.isForbidden]).toEqual([undefined, true]);
    expect(chooseEvent(undefined, virtual).isForbidden).toBe(false);
    const fine = chooseEvent({ ns: 100_000 }, locked);
    expect(fine).toMatchObject({ kind: 'timer', period: TICK });
    expect(fine.shortcoming).toMatch(/100 µs is shorter than a tick \(4000 µs\).*4000 µs instead/);
  });

  it('can be chosen here', () => {
    const { kind, period } = chooseEvent(undefined);
    expect(['timer', 'instructions']).toContain(kind);
    expect(period).toBeGreaterThan(1000);
  });
});
