/** Stand-offs that only a schedule leads to, and what becomes of one that cannot be followed. */
import { describe, expect, it } from 'vitest';
import { LogOp } from '../src/linux/agent-protocol.ts';
import type { ScheduledStep } from '../src/linux/agent-schedule.ts';
import type { Schedule } from '../src/threads/confirm/schedule.ts';
import type {
  AtomicStep,
  RacingSides,
  StandOffLimits,
  StandOffResult,
} from '../src/threads/confirm/side.ts';
import { standOff } from '../src/threads/confirm/stand-off.ts';
import { LIMITS, racingProgram, runnable, runningFrom, sideAt } from './harness/racing-program.ts';
import { scratchFolder } from './harness/scratch.ts';

const { DH_OP_FORK, DH_OP_BEGIN, DH_OP_ACQUIRE, DH_OP_RELEASE, DH_OP_ATOMIC } = LogOp;

const fork = (thread: number, object: number): ScheduledStep => ({
  thread,
  op: DH_OP_FORK,
  object,
});
const begin = (thread: number): ScheduledStep => ({ thread, op: DH_OP_BEGIN, object: undefined });
const acquire = (thread: number): ScheduledStep => ({ thread, op: DH_OP_ACQUIRE, object: 0 });
const release = (thread: number): ScheduledStep => ({ thread, op: DH_OP_RELEASE, object: 0 });
const atomic = (thread: number): ScheduledStep => ({ thread, op: DH_OP_ATOMIC, object: undefined });
const START = [fork(1, 2), begin(2), fork(1, 3), begin(3)];

interface Given {
  steps: readonly ScheduledStep[];
  /** For each atomic step, its label. */
  atomics?: readonly string[];
  limits?: Partial<StandOffLimits>;
}

async function run(text: string, { steps, atomics = [], limits }: Given): Promise<StandOffResult> {
  const folder = scratchFolder();
  const binary = racingProgram(folder, text);
  const schedule: Schedule = {
    ...{ process: 1, threads: 3, objects: 1, racing: [2, 3], locks: [0] },
    steps: steps.map((step, event) => ({ ...step, event })),
    sides: [
      { event: 0, thread: 2, steps: steps.filter(({ thread }) => thread === 2).length },
      { event: 0, thread: 3, steps: steps.filter(({ thread }) => thread === 3).length },
    ],
  };
  const turns = steps.flatMap(({ op }, turn) => (op === DH_OP_ATOMIC ? [turn] : []));
  const race: RacingSides = {
    sides: [
      { ...sideAt(binary, 'side_a', true), thread: 2 },
      { ...sideAt(binary, 'side_b', false), thread: 3 },
    ],
    atomics: turns.map((turn, n): AtomicStep => {
      const { code } = sideAt(binary, atomics[n]!, true);
      return { turn, thread: steps[turn]!.thread, code };
    }),
  };
  const result = await standOff(runnable(folder, binary), schedule, race, { ...LIMITS, ...limits });
  expect(runningFrom(folder)).toEqual([]);
  return result;
}

/** The second begins when the first has long ended, unless somebody sees to it. */
const BEGIN_BOTH = `
int main(void) {
  pthread_t one = start(first);
  usleep(20000);
  pthread_t two = start(second);
  pthread_join(one, NULL); pthread_join(two, NULL);
  return 0;
}`;

/** As it comes, the first worker has long been through when the second one begins. */
const FLAG = `
int flag, shared;
void *first(void *none) {
  pthread_mutex_lock(&mutex); flag = 1; pthread_mutex_unlock(&mutex);
  SIDE_A("movl $7, %0", : "=m"(shared));
  return none;
}
void *second(void *none) {
  pthread_mutex_lock(&mutex); int seen = flag; pthread_mutex_unlock(&mutex);
  int v = 0; if (!seen) SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
  return none;
}
${BEGIN_BOTH}`;

describe('a schedule', () => {
  it('leads two threads to where they otherwise would not come', async () => {
    const steps = [...START, acquire(3), release(3), acquire(2), release(2)];
    const result = await run(FLAG, { steps });
    expect(result).toMatchObject({
      ...{ kind: 'confirmed', attempts: 1, end: { status: 0 } },
      sides: [{ thread: 2 }, { thread: 3 }],
    });
  });

  it('that leads elsewhere confirms nothing', async () => {
    const steps = [...START, acquire(2), release(2), acquire(3), release(3)];
    const result = await run(FLAG, { steps, limits: { attempts: 1 } });
    expect(result).toMatchObject({ kind: 'missed', cause: 'stalled' });
    expect((result as { reason: string }).reason).toMatch(
      /T2 stood at racing.c:5, and nobody came/,
    );
  });

  it('that the program leaves is told where', async () => {
    const steps = [...START, release(3)];
    const result = await run(FLAG, { steps, limits: { attempts: 2 } });
    expect(result).toMatchObject({ kind: 'missed', cause: 'diverged', attempts: 2 });
    expect((result as { reason: string }).reason).toMatch(
      /^T3 came to acquire at racing.c:9, where the schedule has release \(step 5\)$/,
    );
  });

  it('that the program leaves is not needed where both threads come by themselves', async () => {
    const text = `
int shared;
void *first(void *none) {
  for (int i = 0; i < 1000; i++) { SIDE_A("movl $7, %0", : "=m"(shared)); usleep(1000); }
  return none;
}
void *second(void *none) {
  pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 1000; i++) { int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared)); usleep(1000); }
  return none;
}
${BEGIN_BOTH}`;
    const steps = [...START, release(3)];
    expect(await run(text, { steps, limits: { attempts: 1 } })).toMatchObject({
      cause: 'diverged',
    });
    const result = await run(text, { steps, limits: { attempts: 2 } });
    expect(result).toMatchObject({ kind: 'confirmed', attempts: 2 });
  });

  it('has turns for atomic accesses, too', async () => {
    const text = `
int flag, shared;
void *first(void *none) {
  LABELLED("set_flag", "movl $1, %0", : "=m"(flag));
  SIDE_A("movl $7, %0", : "=m"(shared));
  return none;
}
void *second(void *none) {
  int seen; LABELLED("get_flag", "movl %1, %0", : "=r"(seen) : "m"(flag));
  int v = 0; if (!seen) SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
  return none;
}
${BEGIN_BOTH}`;
    const steps = [...START, atomic(3), atomic(2)];
    const result = await run(text, { steps, atomics: ['get_flag', 'set_flag'] });
    expect(result).toMatchObject({ kind: 'confirmed', attempts: 1 });
    const other = [...START, atomic(2), atomic(3)];
    const given = { steps: other, atomics: ['set_flag', 'get_flag'], limits: { attempts: 1 } };
    expect(await run(text, given)).toMatchObject({ kind: 'missed' });
  });
});
