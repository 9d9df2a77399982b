/** The rules of the operators, by the traces that they allow, and refinement with its counterexamples. */
import { describe, expect, it } from 'vitest';
import { parseCspm } from '../cspm/parser.ts';
import { TAU } from './events.ts';
import { CspFault } from './fault.ts';
import { refines } from './refinement.ts';
import type { Script } from './script.ts';
import { Semantics } from './semantics.ts';

const declarations = `
  datatype Thread = T1 | T2
  channel a, b, c, d
  channel lock, unlock : Thread
  channel count : {0..3}
`;

function script(text: string): Script {
  const result = parseCspm(declarations + text);
  if (!result.ok) throw result.error;
  return result.value;
}

/** All traces of P, up to a length, without tau. */
function traces(text: string, longest = 4): string[] {
  const semantics = new Semantics(script(text));
  const start = semantics.stateOf({ kind: 'call', name: 'P', arguments: [] });
  const found = new Set<string>();
  const visit = (state: number, trace: readonly string[], silent: number): void => {
    found.add(trace.join(' '));
    if (trace.length === longest || silent > 4) return;
    for (const { event, target } of semantics.transitions(state)) {
      if (event === TAU) visit(target, trace, silent + 1);
      else visit(target, [...trace, semantics.names.nameOf(event)], 0);
    }
  };
  visit(start, [], 0);
  return [...found].filter((trace) => trace !== '').sort();
}

describe('what processes do', () => {
  it.each([
    ['STOP', []],
    ['SKIP', ['tick']],
    ['a -> b -> STOP', ['a', 'a b']],
    ['a -> SKIP ; b -> STOP', ['a', 'a b']],
    ['a -> STOP ; b -> STOP', ['a']],
    ['a -> STOP [] b -> SKIP', ['a', 'b', 'b tick']],
    ['a -> STOP ||| b -> STOP', ['a', 'a b', 'b', 'b a']],
    ['a -> SKIP ||| b -> STOP', ['a', 'a b', 'b', 'b a']],
    ['a -> SKIP ||| SKIP', ['a', 'a tick']],
    ['a -> b -> STOP [| {b} |] c -> b -> STOP', ['a', 'a c', 'a c b', 'c', 'c a', 'c a b']],
    ['a -> b -> STOP [| {a, b} |] b -> STOP', []],
    ['(a -> b -> STOP) \\ {a}', ['b']],
    ['(a -> STOP [] b -> STOP) \\ {a}', ['b']],
    ['a -> b -> STOP /\\ c -> STOP', ['a', 'a b', 'a b c', 'a c', 'c']],
    ['a -> SKIP /\\ c -> STOP', ['a', 'a c', 'a tick', 'c']],
    [
      'lock?t -> unlock.t -> STOP',
      ['lock.T1', 'lock.T1 unlock.T1', 'lock.T2', 'lock.T2 unlock.T2'],
    ],
    ['count?n:{2..9} -> count!n-1 -> STOP', undefined],
    ['count?n:{3..9} -> count.(n - 1) -> STOP', ['count.3', 'count.3 count.2']],
    ['[] x : {a, lock.T1} @ x -> STOP', ['a', 'lock.T1']],
    ['[] x : {} @ x -> STOP', []],
    ['||| t : {} @ lock.t -> STOP', ['tick']],
    [
      '||| t : Thread @ lock.t -> STOP',
      ['lock.T1', 'lock.T1 lock.T2', 'lock.T2', 'lock.T2 lock.T1'],
    ],
    [
      '[| {a} |] t : Thread @ lock.t -> a -> STOP',
      [
        'lock.T1',
        'lock.T1 lock.T2',
        'lock.T1 lock.T2 a',
        'lock.T2',
        'lock.T2 lock.T1',
        'lock.T2 lock.T1 a',
      ],
    ],
    ['0 == 1 & a -> STOP', []],
    ['0 != 1 & a -> STOP', ['a']],
  ])('%s', (text, wanted) => {
    if (wanted === undefined) expect(parseCspm(`${declarations}P = ${text}`).ok).toBe(false);
    else expect(traces(`P = ${text}`)).toEqual([...wanted].sort());
  });

  it('hides what it does until a choice is made', () => {
    // The hidden step inside does not decide between the two sides.
    expect(traces('P = ((a -> b -> STOP) \\ {a}) [] c -> STOP')).toEqual(['b', 'c']);
  });

  it('repeats itself, with values', () => {
    const text =
      'P = COUNT(0)\nCOUNT(n) = n != 2 & count.n -> COUNT(n + 1) [] n == 2 & a -> COUNT(0)';
    expect(traces(text)).toContain('count.0 count.1 a count.0');
    expect(traces('P = a -> SKIP ; P')).toEqual(['a', 'a a', 'a a a', 'a a a a']);
  });

  it('refuses what means nothing', () => {
    expect(() => traces('P = P [] a -> STOP')).toThrow(
      new CspFault('P calls itself before any event'),
    );
    expect(() => traces('P = count.7 -> STOP')).toThrow(
      new CspFault('7 cannot stand in this field'),
    );
    expect(() => traces('P = count.(T1 + 1) -> STOP')).toThrow(new CspFault('T1 is not a number'));
  });
});

describe('refinement', () => {
  function check(text: string, mostStates = 10_000) {
    const all = script(text);
    const claim = all.find((one) => one.kind === 'assert')!;
    return refines(new Semantics(all), claim.specification, claim.implementation, mostStates);
  }

  it('holds where every trace is allowed, whatever the specification decides in secret', () => {
    expect(check('assert a -> STOP [] a -> b -> STOP [T= a -> b -> STOP').kind).toBe('holds');
    expect(check('assert STOP [T= STOP').kind).toBe('holds');
    expect(check('assert STOP [T= (a -> STOP) \\ {a}').kind).toBe('holds');
    expect(check('P = a -> P\nassert P [T= P ||| P').kind).toBe('holds');
    expect(check('assert (c -> a -> STOP) \\ {c} [T= a -> STOP').kind).toBe('holds');
  });

  it('fails with one of the shortest ways, and tells what was hidden', () => {
    const text = `
      LONG = a -> b -> a -> d -> STOP
      SHORT = a -> c -> d -> STOP
      assert STOP [T= (LONG [] SHORT) \\ {a, b, c}`;
    expect(check(text)).toMatchObject({ kind: 'fails', trace: ['d'], steps: ['a', 'c', 'd'] });
    expect(check('assert a -> STOP [T= a -> SKIP')).toMatchObject({
      kind: 'fails',
      trace: ['a', 'tick'],
    });
  });

  it('gives up after as many states as it may look at', () => {
    const endless = 'P(n) = a -> P(n + 1)\nassert P(0) [T= P(0)';
    expect(check(endless, 50)).toEqual({ kind: 'undecided', states: 50 });
    const endlessInSecret = 'P(n) = a -> P(n + 1)\nassert P(0) \\ {a} [T= STOP';
    expect(check(endlessInSecret, 50).kind).toBe('undecided');
  });

  it('finds the race of the paper on y, and none on x', () => {
    const model = (variable: string): string => `
      datatype Thread = t1 | t2
      datatype Mutex = m
      datatype Variable = x | y
      channel read, write : Thread.Variable
      channel lock, unlock : Thread.Mutex
      channel race
      sync_set = {| lock, unlock |}
      THREAD1 = write.t1.y -> lock.t1.m -> write.t1.x -> unlock.t1.m -> SKIP
      THREAD2 = lock.t2.m -> write.t2.x -> unlock.t2.m -> write.t2.y -> SKIP
      MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)
      PROGRAM = (THREAD1 ||| THREAD2) [| sync_set |] MUTEX(m)
      rw_set = {read.t1.${variable}, write.t1.${variable}, read.t2.${variable}, write.t2.${variable}}
      PATT_ERR(a, b, v) =
        read.a.v -> write.b.v -> race -> STOP [] read.b.v -> write.a.v -> race -> STOP []
        write.a.v -> read.b.v -> race -> STOP [] write.a.v -> write.b.v -> race -> STOP []
        write.b.v -> read.a.v -> race -> STOP [] write.b.v -> write.a.v -> race -> STOP
      PATTERN(a, b, v) =
        PATT_ERR(a, b, v) /\\ ([] e : union(sync_set, rw_set) @ e -> PATTERN(a, b, v))
      CHECK = PROGRAM [| union(rw_set, sync_set) |] PATTERN(t1, t2, ${variable})
      assert STOP [T= CHECK \\ diff(Events, {race})`;
    const verdict = (variable: string) => {
      const parsed = parseCspm(model(variable));
      if (!parsed.ok) throw parsed.error;
      const claim = parsed.value.find((one) => one.kind === 'assert')!;
      const semantics = new Semantics(parsed.value);
      return refines(semantics, claim.specification, claim.implementation, 10_000);
    };
    expect(verdict('x').kind).toBe('holds');
    const found = verdict('y');
    expect(found).toMatchObject({ kind: 'fails', trace: ['race'] });
    const steps = found.kind === 'fails' ? found.steps : [];
    expect(steps.filter((step) => /lock/.test(step))).toEqual(['lock.t2.m', 'unlock.t2.m']);
  });
});
