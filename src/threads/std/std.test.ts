/** Import and export together: what goes out comes back, and the order of things is kept. */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { NONE, Op } from '../model/op.ts';
import { ThreadTrace } from '../model/trace.ts';
import { exportStd } from './export.ts';
import { importStd } from './import.ts';
import { plainOrder } from './testdata/plain-order.ts';
import {
  FURTHER_OPS,
  namedEvents,
  PLAIN_OPS,
  play,
  SHARED_OPS,
  wishes,
} from './testdata/random-trace.ts';

const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-std-'));
const file = join(folder, 'trace.std');
afterAll(() => fs.rmSync(folder, { recursive: true }));

function exported(trace: ThreadTrace): string {
  let text = '';
  exportStd(trace, (some) => {
    text += some;
  });
  return text;
}

function imported(text: string): ThreadTrace {
  fs.writeFileSync(file, text);
  const trace = new ThreadTrace();
  importStd(file, trace);
  return trace;
}

describe('import after export', () => {
  it('gives back the same events', () => {
    fc.assert(
      fc.property(wishes(PLAIN_OPS), (list) => {
        const trace = play(list);
        expect(namedEvents(imported(exported(trace)))).toEqual(namedEvents(trace));
      }),
      { numRuns: 300 },
    );
  });

  it('gives back any name that can stand there, and a new one for the others', () => {
    const part = fc.oneof(fc.constantFrom('T', '1', '#', ' ', '|', '(', ')', 'é'), fc.string());
    const names = fc.uniqueArray(fc.string({ unit: part, maxLength: 4 }), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(wishes(PLAIN_OPS), names, (list, all) => {
        const kinds = ['T', 'L', 'V'];
        const nameOf = (kind: string, n: number): string =>
          all[(4 * kinds.indexOf(kind) + n) % all.length]!;
        const trace = play(list, nameOf);
        const back = imported(exported(trace));
        expect(back.length).toBe(trace.length);
        const [wanted, seen] = [trace, back].map((some) =>
          Array.from(
            { length: some.length },
            (_, i) => some.tables.threads.row(some.threadAt(i)).name,
          ),
        );
        for (const [i, name] of wanted!.entries()) {
          const canStand = /^[^\0-\x20|()\x7f#\ufeff][^\0-\x20|()\x7f]*$/.test(name);
          if (canStand) expect(seen![i]).toBe(name);
          else expect(seen![i]).toMatch(/^T\d/);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('export', () => {
  const isExtra = (name: string): boolean => name.startsWith('state:');
  /** Atomic accesses come back as plain ones, and are left out on both sides by their variable. */
  const withoutAtomics = [...PLAIN_OPS, ...SHARED_OPS, ...FURTHER_OPS].filter(
    (op) => op < Op.atomicRead || op > Op.atomicUpdate,
  );

  it('keeps exactly the order that locks for readers and writers make', () => {
    fc.assert(
      fc.property(wishes([...PLAIN_OPS, ...SHARED_OPS]), (list) => {
        const trace = play(list);
        const back = imported(exported(trace));
        expect(plainOrder(back, isExtra)).toEqual(plainOrder(trace, isExtra));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps at least the order that all other synchronisation makes', () => {
    fc.assert(
      fc.property(wishes(withoutAtomics), (list) => {
        const trace = play(list);
        const kept = plainOrder(imported(exported(trace)), isExtra);
        for (const pair of plainOrder(trace, isExtra)) expect(kept).toContain(pair);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps at least the order that atomic accesses make', () => {
    // Variable 0 is atomic, the others are not.
    const list = wishes([Op.read, Op.write, Op.atomicRead, Op.atomicWrite, Op.atomicUpdate]).map(
      (some) =>
        some.map((wish) => {
          const isAtomic = wish.op >= Op.atomicRead;
          return { ...wish, target: isAtomic ? 0 : 1 + (wish.target % 2) };
        }),
    );
    fc.assert(
      fc.property(list, (some) => {
        const trace = play(some);
        const isLeftOut = (name: string): boolean => name === 'V0';
        const kept = plainOrder(imported(exported(trace)), isLeftOut);
        for (const pair of plainOrder(trace, isLeftOut)) expect(kept).toContain(pair);
      }),
      { numRuns: 300 },
    );
  });

  it('says what it cannot say otherwise with locks', () => {
    const trace = new ThreadTrace();
    const { threads, locks, variables, sites } = trace.tables;
    for (const name of ['main', 'worker', 'worker']) threads.add({ name, process: 1, tid: 1 });
    const m = locks.add({ kind: 'rwlock', address: 0x10, symbol: 'm' });
    const c = locks.add({ kind: 'condition', address: 0x20, symbol: 'c' });
    // The name that the lock of an atomic variable would have.
    locks.add({ kind: 'mutex', address: 0x30, symbol: 'atomic:V0' });
    const v = variables.add({ address: 8, size: 4, allocation: NONE, symbol: '' });
    trace.tables.modules.add({ path: '/bin/queue', buildId: '', functionsTraced: 1 });
    const site = sites.add({ module: 0, address: 0x1a, function: 'f', file: 'a\tb.c', line: 7 });
    for (const [thread, op, target] of [
      [1, Op.acquireShared, m],
      [1, Op.releaseShared, m],
      [2, Op.acquireShared, m],
      [2, Op.releaseShared, m],
      [0, Op.acquire, m],
      [0, Op.waitBegin, c],
      [0, Op.release, m],
      [1, Op.signal, c],
      [0, Op.waitEnd, c],
      [1, Op.atomicUpdate, v],
      [1, Op.detach, 2],
    ] as const) {
      trace.append(thread, op, target, site);
    }
    let text = '';
    const numbers = exportStd(trace, (some) => {
      text += some;
    });
    expect(text.replaceAll('|0\n', '\n').trimEnd().split('\n')).toEqual([
      'T1|acq(m:T1)',
      'T1|rel(m:T1)',
      'T2|acq(m:T2)',
      'T2|rel(m:T2)',
      'main|acq(m)',
      'main|acq(m:T1)',
      'main|acq(m:T2)',
      'main|rel(m:T2)',
      'main|rel(m:T1)',
      'main|rel(m)',
      'T1|acq(c)',
      'T1|w(state:c)',
      'T1|rel(c)',
      'main|acq(c)',
      'main|r(state:c)',
      'main|rel(c)',
      'T1|acq(atomic:V0_2)',
      'T1|r(V0)',
      'T1|w(V0)',
      'T1|rel(atomic:V0_2)',
    ]);
    expect([...numbers.table()]).toEqual(['0\ta b.c:7\tf\t/bin/queue+0x1a\n']);
    expect(imported(text).length).toBe(20);
  });
});
