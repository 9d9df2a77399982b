/**
 * No sample has the locks of the other side of a lock operation. A thread is stopped at every single instruction of
 * such operations, in the program, in the agent and in libc, and is sampled there; whether the lock is held by then
 * is read from its memory.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentImage } from '../src/linux/agent-channel.ts';
import { SampleFlag } from '../src/linux/agent-protocol.ts';
import { newSampling, sampledFolder, sampledProgram } from './harness/sampling-run.ts';

const KINDS = ['mutex', 'try', 'timed', 'recursive', 'read', 'write', 'spin', 'mtx', 'wait'];

interface Step {
  readonly place: number;
  readonly isHeld: boolean;
  /** Absent where the agent took none: in its own code. */
  readonly sample: { readonly isMarked: boolean; readonly hasLock: boolean } | undefined;
}

describe('a sample at each instruction of a lock operation', () => {
  it('has the locks that are held, or is marked', () => {
    const path = sampledProgram('stepped-locks.c', '-Wl,-z,now');
    const driver = sampledProgram('step-through.c');
    for (const kind of KINDS) {
      const { steps, program } = stepThrough(driver, path, kind);
      const isProgram = ({ place }: Step): boolean => place >= program.begin && place < program.end;
      // Lock and unlock, twice: in the program itself, in the agent, in libc.
      expect(steps.filter(isProgram).length).toBeGreaterThan(20);
      expect(steps.filter(({ sample }) => sample === undefined).length).toBeGreaterThan(20);
      expect(steps.filter(({ sample }) => sample?.isMarked).length).toBeGreaterThan(8);
      for (const step of steps) {
        const shown = `${kind}: ${JSON.stringify(step)}`;
        if (isProgram(step)) expect(step.sample?.isMarked, shown).toBe(false);
        else expect(step.sample?.isMarked ?? true, shown).toBe(true);
        if (step.sample?.isMarked === false) expect(step.sample.hasLock, shown).toBe(step.isHeld);
      }
      for (const isHeld of [true, false]) {
        expect(steps.some((step) => isProgram(step) && step.isHeld === isHeld)).toBe(true);
      }
    }
  });
});

function stepThrough(
  driver: string,
  path: string,
  kind: string,
): { steps: Step[]; program: AgentImage } {
  const sampling = newSampling();
  const variables = Object.entries(sampling.environment).map((pair) => pair.join('='));
  const { stdout, stderr, status } = spawnSync(
    driver,
    [join(sampling.folder, 'control'), ...variables, '--', path, kind],
    { encoding: 'utf8', timeout: 60_000 },
  );
  expect([stderr, status]).toEqual(['', 0]);
  const images = [...sampling.channel.records()].filter((record) => record.kind === 'image');
  const program = images.find((image) => image.path === path)!;
  const [lock, ...lines] = stdout.trim().split('\n');
  const samples = sampledFolder(sampling.folder).samples('1').values();
  const steps = lines.map((line): Step => {
    const [place = '', held, logged] = line.split(' ');
    const taken = logged === '1' ? samples.next().value : undefined;
    if (taken !== undefined) expect(taken.place.toString(16)).toBe(place);
    return {
      place: Number.parseInt(place, 16),
      isHeld: held === '1',
      sample: taken && {
        isMarked: (taken.flags & SampleFlag.DH_SAMPLE_IN_LOCK) !== 0,
        hasLock: taken.locks.some((name) => name.replace('s', '') === lock),
      },
    };
  });
  expect(samples.next().done).toBe(true);
  return { steps, program };
}
