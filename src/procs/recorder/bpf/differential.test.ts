import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeBytes } from '../../../base/bytes.ts';
import { tryTo } from '../../../base/result.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import { RECORDED_CALLS } from '../../model/recorded-calls.ts';
import { MOST_OF_SOCKET } from '../connected-sockets.ts';
import { comparable } from './testdata/comparable.ts';
import {
  PROGRAMS_IN_C,
  type ProgramName,
  SCRIPTS,
  sourceOf,
} from './testdata/differential-programs.ts';
import { recordInside, recordWithBpf, recordWithPtrace } from './testdata/record-both.ts';

const canary = tryTo(() => recordWithBpf(['/bin/true']));
if (!canary.ok) console.warn(`skipped: no recording in the kernel (${canary.error.message})`);

const home = mkdtempSync(join(tmpdir(), 'deadheat-differential-'));
const folder = join(home, 'work');
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Both runs start with the same empty folder. */
function inEmptyFolder<T>(run: () => T): T {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return run();
}

function expectSame(script: string): void {
  const args = ['/bin/sh', '-c', `cd ${folder}; ${script}`];
  const { records, droppedEvents } = inEmptyFolder(() => recordInside(args));
  expect(droppedEvents).toBe(0);
  const traced = inEmptyFolder(() => recordWithPtrace(args));
  expect(comparable(records)).toEqual(comparable(traced));
  for (const record of records) {
    if (record.kind === 'call') seen.add(syscallName(record.number));
    if (record.kind !== 'received' && record.kind !== 'sent') continue;
    throughSockets[record.kind] += encodeBytes(record.data).length;
  }
}

const seen = new Set<string>();
const throughSockets = { received: 0, sent: 0 };

describe.runIf(canary.ok)('both recorders give the same records of', () => {
  for (const [what, script] of Object.entries(SCRIPTS)) it(what, () => expectSame(script));

  for (const name of Object.keys(PROGRAMS_IN_C) as ProgramName[]) {
    it(`a program in C: ${name}`, () => {
      const program = join(home, name.replaceAll(' ', '-'));
      execFileSync('cc', ['-pthread', '-w', '-o', program, '-x', 'c', '-'], {
        input: sourceOf(name),
      });
      expectSame(`${program}; exit`);
    });
  }

  it('every call that there is a shape for: none was left out above', () => {
    expect(Object.keys(RECORDED_CALLS).filter((name) => !seen.has(name))).toEqual([]);
  });

  it('what went through connected sockets, and no more than the limit', () => {
    const whole = MOST_OF_SOCKET;
    // Of what was sent last, in forty pieces, only sixteen are looked at.
    expect(throughSockets).toEqual({ received: whole + 5, sent: whole + 4 + 5 + 16 + 8 });
  });
});
