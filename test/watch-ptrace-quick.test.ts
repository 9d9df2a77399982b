/** Windows that agent/tracer/ opens and closes by itself: what it tells of them, and what it leaves to the others. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Signal, sendSignal } from '../src/linux/signals.ts';
import type { QuietWindow, TargetEvent, WindowPlan } from '../src/watch/debug-target.ts';
import { attachTarget } from '../src/watch/ptrace/attach.ts';
import type { PtraceTarget } from '../src/watch/ptrace/ptrace-target.ts';
import { scratchFolder } from './harness/scratch.ts';
import {
  CHECKED,
  CHECKING,
  codeOf,
  compiledC,
  debugRegistersOf,
  running,
  statusOf,
} from './harness/watched-program.ts';
import { functionNamed, launched, touchedBy } from './harness/watched-target.ts';

const WINDOW_MS = 3;
const LONG_MS = 60_000;

/** One window, and no other for a long time. */
const oneWindow = (from = 0): WindowPlan => ({
  ...{ from: performance.now() + from, windowMs: WINDOW_MS, everyMs: LONG_MS, savedMs: 0 },
});

/** What has come of it, and of those who have passed meanwhile; some milliseconds are enough. */
async function looked(target: PtraceTarget, plan = oneWindow()): Promise<TargetEvent> {
  for (const deadline = performance.now() + LONG_MS; ; ) {
    const until = performance.now() + 2 * plan.windowMs;
    const event = await target.next(until, false, plan);
    if (event.kind !== 'deadline' || performance.now() > deadline) return event;
  }
}

async function quietWindow(target: PtraceTarget, plan?: WindowPlan): Promise<QuietWindow> {
  const event = await looked(target, plan);
  if (event.kind === 'quiet' && event.windows.length === 1) return event.windows[0]!;
  throw new Error(`instead of a quiet window: ${JSON.stringify(event)}`);
}

/** Two threads: one comes to `come`, which touches `mine`; what the other one does is up to the test. */
const program = (other: string): string => `
long mine, elsewhere;
volatile long others;
volatile int running[2];
long sum[4];
__attribute__((noinline)) void come(void) { mine++; }
__attribute__((noinline)) void sums(void) { sum[0]++; sum[1]++; sum[2]++; sum[3]++; }
void *comer(void *none) { running[0] = 1; for (;;) { come(); sums(); usleep(100); } return none; }
void *other(void *none) { running[1] = 1; ${other} return none; }
int main(int argc, char **argv) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, comer, NULL);
  pthread_create(&t[1], NULL, other, NULL);
  while (!running[0] || !running[1]) usleep(100);
  ready(argv[1]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return 0;
}`;

/** `come` of such a program, whose threads both run: one that is just being made has all signals blocked. */
async function ready(other: string) {
  const { folder, target } = await launched(program(other));
  const come = await functionNamed(target, 'come');
  while (!existsSync(join(folder, 'ready'))) {
    expect(await target.next(performance.now() + 10)).toEqual({ kind: 'deadline' });
  }
  expect(target.process.threads.size).toBe(3);
  return { target, come };
}

/** A window at it that stays open: on a busy machine the other thread may not run within the first one. */
async function openAtCome(other: string) {
  const { target, come } = await ready(other);
  for (let times = 0; times < 500; times++) {
    await target.plant([come.start]);
    const event = await looked(target);
    if (event.kind === 'quiet') continue;
    if (event.kind === 'breakpoint' && event.window) {
      return { target, runner: event.runner, window: event.window };
    }
    throw new Error(`instead of a window: ${JSON.stringify(event)}`);
  }
  throw new Error('no window has stayed open');
}

describe('a quick window', () => {
  it('is over when it is told of, if nobody has touched the bytes', async () => {
    const { target, come } = await ready('for (;;) { others++; usleep(50); }');
    await target.plant([come.start]);
    const window = await quietWindow(target);
    expect(window.address).toBe(come.start);
    expect(window.registers.get('rip')).toBe(come.start);
    expect(window.touched).toBe((await touchedBy(target, come)).address);
    expect(window.overAt - window.openedAt).toBeGreaterThanOrEqual(WINDOW_MS);
    expect(window.openedAt).toBeGreaterThanOrEqual(window.heldSince);
    // It has gone on: it comes again, and nothing was left where it stood.
    await target.plant([come.start]);
    expect((await quietWindow(target)).runner).toBe(window.runner);
  });

  it('is one of several, each at breakpoints that stand when it is due', async () => {
    const { target } = await ready('for (;;) { others++; usleep(50); }');
    const { start, end } = await functionNamed(target, 'sums');
    const code = Buffer.from(await target.read(start, Number(end - start)));
    // add qword ptr [rip+…],1
    const places = [...code.keys()].filter((at) => code.toString('hex', at, at + 3) === '488305');
    expect(places.length).toBe(4);
    const planned = places.map((at) => start + BigInt(at));
    // On a busy machine somebody may come to two of them at once, and pass the second one.
    for (let times = 0, windows = 0; windows < planned.length; times++) {
      expect(times).toBeLessThan(50);
      const began = performance.now();
      const due = new Map(planned.map((place, index) => [place, began + 10 + 30 * index]));
      for (const [place, from] of due) await target.plant([place], from);
      const plan = { from: began, windowMs: WINDOW_MS, everyMs: 20, savedMs: 20 };
      const event = await target.next(began + 500, false, plan);
      if (event.kind !== 'quiet') throw new Error(`not quiet: ${JSON.stringify(event)}`);
      for (const { address, heldSince } of event.windows) {
        expect(heldSince).toBeGreaterThanOrEqual(due.get(address)!);
      }
      windows = event.windows.length;
      const seen = [...event.windows.map(({ address }) => address), ...event.passed];
      expect(new Set(seen).size).toBe(seen.length);
      expect(target.othersRunning()).toBe(3);
      await target.unplant(planned);
    }
  });

  it('stays open for whoever touches the bytes', async () => {
    const { target, window, runner } = await openAtCome('for (;;) { mine++; usleep(50); }');
    expect(window.watch.pieces).toEqual([{ address: window.touched, size: 8 }]);
    const other = await target.next(performance.now() + LONG_MS);
    expect(other).toMatchObject({ kind: 'watchpoint', watch: window.watch });
    if (other.kind !== 'watchpoint') return;
    expect(other.runner).not.toBe(runner);
    const [site] = await target.stack(other.runner, other.registers);
    expect(site).toMatchObject({ function: 'other' });
    await target.disarm(window.watch);
    await target.release(other.runner);
    await target.release(runner);
  });

  it('stays open if the bytes have changed unseen', async () => {
    // The kernel writes to them: the processor does not tell of that.
    const { target, window, runner } = await openAtCome(
      'int p[2]; pipe(p); for (long i = 1;; i++) { write(p[1], &i, 8); read(p[0], &mine, 8); usleep(50); }',
    );
    expect(Buffer.from(await target.read(window.touched, 8))).not.toEqual(window.before);
    await target.disarm(window.watch);
    await target.release(runner);
  });

  it('is not opened before its time, and nobody is stopped by then', async () => {
    const { target, come } = await ready('for (;;) { others++; usleep(50); }');
    await target.plant([come.start]);
    const before = await target.next(performance.now() + 100, false, oneWindow(LONG_MS));
    expect(before).toEqual({ kind: 'deadline' });
    expect(target.othersRunning()).toBe(3);
    // The breakpoint was put off, and stands when there is time for it.
    expect((await quietWindow(target)).address).toBe(come.start);
  });

  it('is not opened while somebody is held', async () => {
    const { target, come } = await ready('for (;;) come();');
    await target.plant([come.start]);
    const first = await target.next(performance.now() + LONG_MS);
    await target.plant([come.start]);
    const second = await looked(target);
    expect(second).toMatchObject({ kind: 'breakpoint' });
    expect(second).not.toHaveProperty('window');
    for (const event of [first, second]) {
      if (event.kind === 'breakpoint') await target.release(event.runner);
    }
    expect(target.othersRunning()).toBe(3);
  });

  it('is the only one: whoever comes to another breakpoint meanwhile goes on', async () => {
    const { target, come } = await ready('for (;;) { elsewhere++; usleep(50); }');
    const { start } = await functionNamed(target, 'other');
    const code = Buffer.from(await target.read(start, 200));
    // add qword ptr [rip+…],1
    const at = code.indexOf(Buffer.from('488305', 'hex'));
    expect(at).toBeGreaterThan(0);
    const other = start + BigInt(at);
    await target.plant([come.start, other]);
    const event = await looked(target, { ...oneWindow(), windowMs: 500 });
    if (event.kind !== 'quiet') throw new Error(`not quiet: ${JSON.stringify(event)}`);
    expect(event.windows.length).toBe(1);
    expect(event.passed).toEqual([event.windows[0]!.address === other ? come.start : other]);
  });

  it('leaves signals, new threads and ends to those who know them', async () => {
    const { target } = await launched(`
long mine; volatile int got;
__attribute__((noinline)) void come(void) { mine++; }
void heard(int signal) { got++; }
void *brief(void *none) { come(); return none; }
int main(int argc, char **argv) {
  signal(SIGUSR1, heard);
  for (int i = 0; i < 200; i++) {
    pthread_t t;
    pthread_create(&t, NULL, brief, NULL);
    raise(SIGUSR1);
    come();
    pthread_join(t, NULL);
  }
  return got == 200 && mine == 400 ? 7 : 1;
}`);
    const come = await functionNamed(target, 'come');
    for (;;) {
      await target.plant([come.start]);
      const plan = { from: 0, windowMs: 0.2, everyMs: 1, savedMs: 0 };
      const event = await target.next(performance.now() + 20, false, plan);
      if (event.kind === 'ended') {
        expect(event.end).toEqual({ code: 7 });
        return;
      }
      if (event.kind === 'breakpoint' && event.window) await target.disarm(event.window.watch);
      if ('runner' in event && event.kind !== 'lost') await target.release(event.runner);
    }
  });
});

describe('a program with quick windows', () => {
  it('does not notice, and is as before when it is let go', async () => {
    const folder = scratchFolder();
    const child = await running(folder, compiledC(folder, CHECKING));
    const before = codeOf(child.pid);
    let over = 0;
    for (let times = 0; times < 10; times++) {
      const target = await attachTarget(child.pid, {});
      const mix = await functionNamed(target, 'mix');
      for (let hits = 0; hits < 20; hits++) {
        await target.plant([mix.start]);
        const event = await looked(target, { ...oneWindow(), windowMs: 0.3 });
        if (event.kind === 'quiet') over += event.windows.length;
        if (event.kind !== 'breakpoint') continue;
        if (event.window) await target.disarm(event.window.watch);
        await target.release(event.runner);
      }
      await target.plant([mix.start]);
      await target.leave();
      expect(target.process.isTraced).toBe(false);
    }
    // Its own sum is nobody else's: nearly all of them are quiet.
    expect(over).toBeGreaterThan(100);
    expect(codeOf(child.pid)).toEqual(before);
    expect(debugRegistersOf(child.pid)).toEqual(new Set([0n]));
    sendSignal(child.pid, Signal.SIGTERM);
    expect(await statusOf(child)).toBe(CHECKED);
  });
});
