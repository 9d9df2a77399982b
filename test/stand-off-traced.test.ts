/** From a trace to a stand-off: races that did not happen when the program was traced are proven. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLAIN_INHERITANCE } from '../src/linux/own-inheritance.ts';
import { racingSidesOf } from '../src/threads/confirm/racing-sides.ts';
import { scheduleOf } from '../src/threads/confirm/schedule.ts';
import type { StandOffResult } from '../src/threads/confirm/side.ts';
import { standOff } from '../src/threads/confirm/stand-off.ts';
import { searchRace } from '../src/threads/csp/search-race.ts';
import { isAccess, NONE } from '../src/threads/model/op.ts';
import type { ThreadTrace } from '../src/threads/model/trace.ts';
import { loadThreadTrace } from '../src/threads/storage/reader.ts';
import { deadheat } from './harness/deadheat.ts';
import { LIMITS, runningFrom } from './harness/racing-program.ts';
import { scratchFolder } from './harness/scratch.ts';

/** The first access by a thread at a line with this comment: its event. */
function eventAt(trace: ThreadTrace, source: string, mark: string): number {
  const line = source.split('\n').findIndex((text) => text.includes(`// ${mark}`)) + 1;
  for (let event = 0; event < trace.length; event++) {
    const site = trace.siteAt(event);
    if (!isAccess(trace.opAt(event)) || site === NONE) continue;
    if (trace.tables.sites.row(site).line === line) return event;
  }
  throw new Error(`no access at ${mark} (line ${line})`);
}

async function predictedAndRun(source: string, ...flags: string[]): Promise<StandOffResult> {
  const folder = scratchFolder();
  const binary = join(folder, 'program');
  writeFileSync(join(folder, 'program.c'), source);
  const options = ['-g', '-O1', '-pthread', ...flags];
  execFileSync('cc', [...options, '-o', binary, join(folder, 'program.c')]);
  const env = { XDG_CACHE_HOME: join(folder, 'cache') };
  const traced = deadheat(['trace', '-o', 'run', '--', binary], { cwd: folder, env });
  expect(traced.status, traced.stderr).toBe(0);
  const trace = loadThreadTrace(join(folder, 'run', 'trace.bin'));
  const [first, second] = [eventAt(trace, source, 'A'), eventAt(trace, source, 'B')];
  const found = searchRace(trace, first, second, { sound: true, mostStates: 100_000 });
  if (found.kind !== 'race') throw new Error(`the search says: ${found.kind}`);
  const { recordedUntil, order, racing } = found.witness;
  const schedule = scheduleOf(trace, {
    recordedUntil,
    steps: order.map((event) => ({ event })),
    racing: [{ event: racing[0] }, { event: racing[1] }],
  });
  const race = racingSidesOf(trace, schedule)!;
  const program = {
    ...{ path: binary, args: [binary], environment: [`PATH=${process.env.PATH}`] },
    inheritance: PLAIN_INHERITANCE,
  };
  const result = await standOff({ program, folder: join(folder, 'agent') }, schedule, race, LIMITS);
  expect(runningFrom(folder)).toEqual([]);
  return result;
}

const HEAD = `
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
`;
const MAIN = `
int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, first, NULL);
  usleep(50000);
  pthread_create(&two, NULL, second, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}`;

describe('a race that only was predicted', () => {
  it('behind critical sections in the other order', async () => {
    const result = await predictedAndRun(`${HEAD}
int x, y, z;
void *first(void *none) {
  y = 1; // A
  pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
  return none;
}
void *second(void *none) {
  pthread_mutex_lock(&m); z++; pthread_mutex_unlock(&m);
  y = 2; // B
  return none;
}
${MAIN}`);
    expect(result).toMatchObject({ kind: 'confirmed', attempts: 1, end: { status: 0 } });
  });

  it('on memory of a heap that is elsewhere each time', async () => {
    const result = await predictedAndRun(`${HEAD}
int x, **shared;
void *first(void *none) {
  shared = malloc(100 * sizeof *shared);
  int *own = calloc(10, sizeof *own);
  pthread_mutex_lock(&m); shared[50] = own; pthread_mutex_unlock(&m);
  own[3] = 1; // A
  return none;
}
void *second(void *none) {
  pthread_mutex_lock(&m); int *theirs = shared[50]; pthread_mutex_unlock(&m);
  theirs[3] = 2; // B
  return none;
}
${MAIN}`);
    expect(result).toMatchObject({ kind: 'confirmed', end: { status: 0 } });
  });

  it('after a condition was waited for', async () => {
    const result = await predictedAndRun(`${HEAD}
int ready, y;
void *first(void *none) {
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  y = 1; // A
  return none;
}
void *second(void *none) {
  pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
  usleep(100000);
  y = 2; // B
  return none;
}
${MAIN}`);
    expect(result).toMatchObject({ kind: 'confirmed', attempts: 1, end: { status: 0 } });
  });

  it('with a copy of memory', async () => {
    const result = await predictedAndRun(
      `${HEAD}
char from[300], to[300];
volatile size_t size = 300;
void *first(void *none) {
  memcpy(to, from, size); // A
  pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
  return none;
}
void *second(void *none) {
  pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
  to[100] = 2; // B
  return none;
}
${MAIN}`,
      '-fno-builtin',
    );
    expect(result).toMatchObject({ kind: 'confirmed', end: { status: 0 } });
  });
});
