/** Known traces, with what is known of them; and what the exported text looks like. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NONE, Op } from '../model/op.ts';
import { ThreadTrace } from '../model/trace.ts';
import { importStd } from '../std/import.ts';
import { refines } from './algebra/refinement.ts';
import { Semantics } from './algebra/semantics.ts';
import { parseCspm } from './cspm/parser.ts';
import { exportModel } from './export-model.ts';
import { RaceSearcher, searchRace } from './search-race.ts';

function listing(name: string): ThreadTrace {
  const trace = new ThreadTrace();
  importStd(fileURLToPath(new URL(`testdata/${name}.std`, import.meta.url)), trace);
  return trace;
}

/** Between the first two threads. */
function search(name: string, variable: string, sound: boolean, mostStates = 1000) {
  const trace = listing(name);
  const { variables } = trace.tables;
  const numbers = Array.from({ length: variables.count }, (_, i) => i);
  const number = numbers.find((one) => variables.row(one).symbol === variable)!;
  const accesses = { variable: number, threads: [0, 1] as const };
  return new RaceSearcher(trace).searchAccesses(accesses, { sound, mostStates });
}

describe('the listing of the paper', () => {
  it.each([false, true])('has a race on y, with the witness of the paper (sound: %s)', (sound) => {
    expect(search('listing-1', 'y', sound)).toMatchObject({
      kind: 'race',
      witness: {
        recordedUntil: 0,
        // T2 acq(m), T2 rel(m)
        order: sound ? expect.anything() : [4, 6],
        racing: [0, 7],
        isShortest: true,
      },
    });
  });

  it('has none on x', () => {
    expect(search('listing-1', 'x', false).kind).toBe('none');
    expect(search('listing-2', 'x', false).kind).toBe('none');
  });

  it('has the same race in the order in which it is seen', () => {
    expect(search('listing-2', 'y', true)).toMatchObject({
      kind: 'race',
      witness: { order: [0, 2], racing: [4, 3] },
    });
  });

  it('has the race for its two events, and undecided is told if there are too few states', () => {
    const trace = listing('listing-1');
    const options = { sound: true, mostStates: 1000 };
    expect(searchRace(trace, 0, 7, options)).toMatchObject({ kind: 'race' });
    expect(searchRace(trace, 7, 0, options)).toMatchObject({ witness: { racing: [7, 0] } });
    expect(searchRace(trace, 2, 5, options).kind).toBe('none');
    expect(searchRace(trace, 2, 5, { ...options, mostStates: 1 })).toMatchObject({
      kind: 'undecided',
    });
  });

  it('is exported as the paper has it', () => {
    const options = { sound: false };
    const text = exportModel(listing('listing-1'), { variable: 0, threads: [0, 1] }, options);
    expect(text.split('\n')).toEqual([
      '-- T0: T1',
      '-- T1: T2',
      '-- V0: y',
      '-- L0: m',
      'datatype Thread = T0 | T1',
      'datatype Lock = L0',
      'datatype Variable = V0',
      'Count = {0..0}',
      'channel read, write, atomicread, atomicwrite : Thread.Variable',
      'channel race',
      'channel lock, unlock, lockshared, unlockshared : Thread.Lock',
      'MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)',
      expect.stringMatching(/^MUTEX_HELD/),
      expect.stringMatching(/^RWLOCK/),
      expect.stringMatching(/^RWLOCK_HELD/),
      'THREAD_T0 = write.T0.V0 -> STOP',
      'THREAD_T1 = lock.T1.L0 -> unlock.T1.L0 -> write.T1.V0 -> STOP',
      'T_INTER = THREAD_T0 ||| THREAD_T1',
      'sync_set = {| lock, unlock, lockshared, unlockshared |}',
      'MUTEXES = MUTEX(L0)',
      'SYNC = MUTEXES',
      'PROGRAM = T_INTER [| sync_set |] SYNC',
      'rw_set = {read.T0.V0, write.T0.V0, read.T1.V0, write.T1.V0}',
      'PATT_ERR = read.T0.V0 -> write.T1.V0 -> race -> STOP [] write.T0.V0 -> read.T1.V0 -> race -> STOP [] write.T0.V0 -> write.T1.V0 -> race -> STOP [] read.T1.V0 -> write.T0.V0 -> race -> STOP [] write.T1.V0 -> read.T0.V0 -> race -> STOP [] write.T1.V0 -> write.T0.V0 -> race -> STOP',
      'PATTERN = PATT_ERR /\\ ([] x : union(sync_set, rw_set) @ x -> PATTERN)',
      'assert STOP [T= PROGRAM [| union(sync_set, rw_set) |] PATTERN \\ diff(Events, {race})',
      '',
    ]);
    const parsed = parseCspm(text);
    if (!parsed.ok) throw parsed.error;
    const claim = parsed.value.find((one) => one.kind === 'assert')!;
    const result = refines(
      new Semantics(parsed.value),
      claim.specification,
      claim.implementation,
      10_000,
    );
    expect(result).toMatchObject({ kind: 'fails', trace: ['race'] });
  });
});

describe('other listings', () => {
  it('have no race where fork and join are in between, and it takes no search to see that', () => {
    for (const sound of [false, true]) {
      const trace = listing('fork-join');
      const options = { sound, mostStates: 1000 };
      expect(searchRace(trace, 0, 2, options)).toEqual({ kind: 'none', states: 0 });
      expect(searchRace(trace, 2, 5, options)).toEqual({ kind: 'none', states: 0 });
      expect(search('fork-join', 'x', sound).kind).toBe('none');
    }
  });

  it('have a race that depends on a value only if values are not looked at', () => {
    expect(search('guarded-by-flag', 'x', false).kind).toBe('race');
    expect(search('guarded-by-flag', 'x', true).kind).toBe('none');
  });

  it('have a race after a wait, for which the signal must not come too early', () => {
    const trace = new ThreadTrace();
    for (const [thread, op, target] of [
      [0, Op.acquire, 1],
      [0, Op.release, 1],
      [1, Op.acquire, 0],
      [1, Op.waitBegin, 2],
      [1, Op.release, 0],
      [0, Op.signal, 2],
      [1, Op.acquire, 0],
      [1, Op.waitEnd, 2],
      [1, Op.release, 0],
      [1, Op.write, 0],
      [2, Op.write, 0],
    ] as const) {
      trace.append(thread, op, target, NONE);
    }
    expect(searchRace(trace, 9, 10, { sound: false, mostStates: 1000 })).toMatchObject({
      kind: 'race',
      witness: { order: expect.arrayContaining([3, 5, 6]), isShortest: true },
    });
  });
});
