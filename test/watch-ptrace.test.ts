/** A process as a target of watching: what it shows, and that it does not notice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Signal, sendSignal } from '../src/linux/signals.ts';
import type { Runner, WatchedBytes } from '../src/watch/debug-target.ts';
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
import { functionNamed, inWindow, launched, nextOf, WAYS } from './harness/watched-target.ts';

/** Who touches these bytes. A thread that is just being made has SIGTRAP blocked: it is watched the next time. */
async function touchedWhile(target: PtraceTarget, piece: WatchedBytes, holder: Runner) {
  for (let times = 0; times < 60; times++) {
    const watch = await target.arm([piece], 'load-or-store', holder);
    const other = await target.next(performance.now() + 1000);
    if (other.kind === 'watchpoint') return { watch: watch!, other };
    expect(other).toEqual({ kind: 'deadline' });
    await target.disarm(watch!);
  }
  throw new Error('nobody has touched it');
}

describe.each(WAYS)('a program watched by %s', (watchpoints) => {
  /** Two threads that count in turns that nobody gives them. */
  const COUNTING = `
long counter;
volatile int stop;
__attribute__((noinline)) void bump(void) { counter++; }
void *worker(void *none) { while (!stop) bump(); return none; }
int main(int argc, char **argv) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return 0;
}`;

  it('shows who comes to an instruction, and who touches its memory meanwhile', async () => {
    const { target } = await launched(COUNTING, { watchpoints });
    expect(target.watchesBy).toBe(watchpoints);
    const bump = await functionNamed(target, 'bump');
    expect(await target.plant([bump.start])).toEqual([bump.start]);
    const held = await nextOf(target, 'breakpoint');
    expect(held.address).toBe(bump.start);
    expect(held.registers.get('rip')).toBe(bump.start);
    const [site] = await target.stack(held.runner, held.registers);
    expect(site).toMatchObject({ function: 'bump', file: expect.stringContaining('program.c') });

    // add $1, counter(%rip)
    const code = Buffer.from(await target.read(bump.start, 8));
    expect(code[0]).toBe(0x48);
    const counter = bump.start + 8n + BigInt(code.readInt32LE(3));
    expect(await target.dataName(counter, held.runner, held.registers)).toBe('counter');
    const piece = { address: counter, size: 8 } as const;
    const { watch, other } = await touchedWhile(target, piece, held.runner);
    expect(other.watch).toBe(watch);
    expect(other.runner).not.toBe(held.runner);
    expect(other.registers.get('rip')).toBe(bump.start + 8n);
    await target.disarm(watch);
    await target.release(other.runner);
    await target.release(held.runner);
    expect(await target.who(held.runner)).toEqual({
      ...{ process: 'program', pid: target.pid, thread: held.runner },
    });
  });

  it('watches new threads as well', async () => {
    const { folder, target } = await launched(
      `
long shared;
__attribute__((noinline)) void touch(void) { __atomic_store_n(&shared, 1, __ATOMIC_RELAXED); }
__attribute__((noinline)) void come(void) { shared++; }
void *waiter(void *none) { come(); return none; }
void *toucher(void *none) { touch(); return none; }
int main(int argc, char **argv) {
  pthread_t t, u;
  pthread_create(&t, NULL, waiter, NULL);
  char ready_by_now[4096];
  snprintf(ready_by_now, sizeof ready_by_now, "%s/armed", argv[1]);
  while (access(ready_by_now, F_OK) != 0) usleep(1000);
  pthread_create(&u, NULL, toucher, NULL);
  pthread_join(u, NULL);
  pthread_join(t, NULL);
  return shared == 2 ? 0 : 1;
}`,
      { watchpoints },
    );
    const { held, watch } = await inWindow(target);
    writeFileSync(join(folder, 'armed'), '');
    const other = await nextOf(target, 'watchpoint');
    expect((await target.stack(other.runner, other.registers))[0]).toMatchObject({
      function: 'touch',
    });
    await target.disarm(watch);
    await target.release(other.runner);
    await target.release(held.runner);
    expect((await nextOf(target, 'ended')).end).toEqual({ code: 0 });
  });
});

/** Opens windows at the start of a function, one after the other; now and then the last one is not closed. */
async function churn(target: PtraceTarget, start: bigint, hits: number): Promise<void> {
  for (let done = 0; done < hits; done++) {
    await target.plant([start]);
    const held = await nextOf(target, 'breakpoint');
    const place = held.registers.get('rdi');
    const shared = { address: place & ~7n, size: 8 } as const;
    const watch = await target.arm([shared], 'load-or-store', held.runner);
    await target.next(performance.now() + 0.3).then(async (event) => {
      if (event.kind === 'breakpoint' || event.kind === 'watchpoint')
        await target.release(event.runner);
    });
    if (watch) await target.disarm(watch);
    if (done < hits - 1 || hits % 3 > 0) await target.release(held.runner);
  }
}

describe.each(WAYS)('attaching, with %s', (watchpoints) => {
  it('is not noticed by a busy program, however often', async () => {
    const folder = scratchFolder();
    const child = await running(folder, compiledC(folder, CHECKING));
    const before = codeOf(child.pid);
    for (let times = 0; times < 50; times++) {
      const target = await attachTarget(child.pid, { watchpoints });
      const mix = await functionNamed(target, 'mix');
      await churn(target, mix.start, 1 + (times % 6));
      await target.plant([mix.start]);
      await target.leave();
      expect(target.process.isTraced).toBe(false);
    }
    expect(codeOf(child.pid)).toEqual(before);
    expect(debugRegistersOf(child.pid)).toEqual(new Set([0n]));
    sendSignal(child.pid, Signal.SIGTERM);
    expect(await statusOf(child)).toBe(CHECKED);
  });
});
