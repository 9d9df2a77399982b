import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ExitStatus } from '../base/exit-status.ts';
import { examine, exitStatus, PROBES } from './doctor.ts';
import { missing, type Probe, works } from './probe.ts';

const probe = (name: string, run: Probe['run'], essential = false): Probe => ({
  name,
  usedBy: 'tests',
  needed: 'nothing',
  essential,
  run,
});

/** Direct children of this process; its threads' included. */
function children(): string[] {
  return readdirSync('/proc/self/task')
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '))
    .filter((pid) => pid !== '');
}

const openFiles = (): number => readdirSync('/proc/self/fd').length;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('examine', () => {
  it('keeps the order and tells its progress', async () => {
    const progress: string[] = [];
    const examined = await examine(
      ({ name }, done, total) => progress.push(`${name} ${done}/${total}`),
      [probe('a', () => works('one')), probe('b', async () => missing('two', 'mend it'))],
    );
    expect(progress).toEqual(['a 0/2', 'b 1/2']);
    expect(examined.map(({ finding }) => finding.status)).toEqual(['ok', 'missing']);
  });

  it('shows what a probe throws, at once or later, as its finding', async () => {
    const examined = await examine(undefined, [
      probe('at once', () => {
        throw new Error('first');
      }),
      probe('later', async () => Promise.reject('second')),
      probe('after them', () => works('still here')),
    ]);
    expect(examined.map(({ finding }) => finding)).toMatchObject([
      { status: 'missing', found: 'first', remedy: expect.stringContaining('report') },
      { status: 'missing', found: 'second' },
      { status: 'ok' },
    ]);
  });

  it('ends a probe that takes too long', async () => {
    let aborted = false;
    const obedient = probe('obedient', async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted = true;
      return works('too late');
    });
    const [{ finding } = { finding: undefined }] = await examine(undefined, [obedient], 50);
    expect(aborted).toBe(true);
    expect(finding).toMatchObject({ status: 'missing', found: 'no answer within 0.05 s' });
  });

  it('does not wait forever for a probe that will not end', async () => {
    const stubborn = probe('stubborn', () => new Promise(() => {}));
    const examined = await examine(undefined, [stubborn, probe('next', () => works('yes'))], 10);
    expect(examined.map(({ finding }) => finding.status)).toEqual(['missing', 'ok']);
  });

  it('calls only a missing essential thing a failure', async () => {
    const status = async (...probes: Probe[]) => exitStatus(await examine(undefined, probes));
    const lacking = () => missing('no', 'mend it');
    expect(await status(probe('a', lacking))).toBe(ExitStatus.clean);
    expect(await status(probe('a', () => works('yes'), true))).toBe(ExitStatus.clean);
    expect(await status(probe('a', lacking, true))).toBe(ExitStatus.unavailable);
  });
});

describe('the probes of this machine', () => {
  it('all come to a finding, say what to do, and leave nothing behind', async () => {
    // A folder of its own, as other tests make theirs in the shared one at the same time.
    const folder = mkdtempSync(join(tmpdir(), 'doctor-test-'));
    vi.stubEnv('TMPDIR', folder);
    await examine(); // Opens what stays open, such as Node's own pipes.
    const before = { children: children(), files: openFiles() };
    const examined = await examine();
    expect({ children: children(), files: openFiles() }).toEqual(before);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });

    expect(examined.length).toBe(PROBES.length);
    for (const { probe, finding } of examined) {
      const shown = JSON.stringify(finding);
      expect(finding.found, probe.name).not.toBe('');
      expect(shown, probe.name).not.toContain('did not expect this');
      expect('remedy' in finding, `${probe.name} ${shown}`).toBe(finding.status !== 'ok');
    }
  });
});
