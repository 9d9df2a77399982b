/** Signals of a watched process are its own: it gets all of them, and none of ours. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Pid } from '../src/linux/ids.ts';
import { processStat } from '../src/linux/running-process.ts';
import { Signal, sendSignal } from '../src/linux/signals.ts';
import { attachTarget } from '../src/watch/ptrace/attach.ts';
import type { PtraceTarget } from '../src/watch/ptrace/ptrace-target.ts';
import { scratchFolder } from './harness/scratch.ts';
import { compiledC, running, statusOf } from './harness/watched-program.ts';
import {
  functionNamed,
  inWindow,
  launched,
  nextOf,
  toTheEnd,
  touchedBy,
  WAYS,
} from './harness/watched-target.ts';

const SEVEN = 7 << 8;

/** While it does, stops are handled. */
async function until(target: PtraceTarget, condition: () => boolean): Promise<void> {
  while (!condition()) {
    const event = await target.next(performance.now() + 5);
    if ('runner' in event && event.kind !== 'lost') await target.release(event.runner);
  }
}

const stateOf = (process: Pid): string => processStat(process)?.state ?? '';

/** On its way from our stop to its own it runs for a moment, but only in the kernel. */
async function staysStopped(process: Pid): Promise<void> {
  while (stateOf(process) !== 'T') await sleep(2);
  for (let looks = 0; looks < 20; looks++) {
    expect(stateOf(process)).toBe('T');
    await sleep(2);
  }
}

describe.each(WAYS)('a process watched by %s', (watchpoints) => {
  it('gets its own SIGTRAP, be it from an int3, a kill or a blocked one', async () => {
    const { target } = await launched(
      `
volatile int traps;
long data;
__attribute__((noinline)) void come(void) { data++; }
void trapped(int signal) { traps++; }
int main(int argc, char **argv) {
  signal(SIGTRAP, trapped);
  for (int i = 0; i < 20; i++) {
    come();
    __asm__ volatile("int3");
    kill(getpid(), SIGTRAP);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    raise(SIGTRAP);
    sigprocmask(SIG_SETMASK, &before, NULL);
  }
  return traps;
}`,
      { watchpoints },
    );
    expect(await toTheEnd(target, 'come')).toEqual({ kind: 'ended', end: { code: 60 } });
  });

  it('may have blocked everything, and still has afterwards', async () => {
    const { target } = await launched(
      `
long data;
__attribute__((noinline)) void come(void) { data++; }
void *other(void *none) { for (int i = 0; i < 1000; i++) { data--; usleep(100); } return none; }
int main(int argc, char **argv) {
  sigset_t all, now;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_t t;
  pthread_create(&t, NULL, other, NULL);
  int blocked = 0;
  for (int i = 0; i < 20; i++) {
    come();
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    blocked += sigismember(&now, SIGTRAP);
  }
  struct timespec none = {0, 0};
  return sigtimedwait(&all, NULL, &none) < 0 ? blocked : 99;
}`,
      { watchpoints },
    );
    const come = await functionNamed(target, 'come');
    await target.plant([come.start]);
    for (;;) {
      const event = await target.next(performance.now() + 60_000);
      if (event.kind === 'breakpoint') {
        const watch = await target.arm([await touchedBy(target, come)], 'store', event.runner);
        const other = await target.next(performance.now() + 2);
        if (other.kind === 'watchpoint') await target.release(other.runner);
        await target.disarm(watch!);
        await target.release(event.runner);
        await target.plant([come.start]);
      } else if (event.kind === 'ended') {
        expect(event.end).toEqual({ code: 20 });
        break;
      } else if (event.kind === 'watchpoint') await target.release(event.runner);
    }
  });

  const WAITING = `
volatile int stop;
long data;
__attribute__((noinline)) void come(void) { data++; }
int ends[2];
void end(int signal) { stop = 1; if (write(ends[1], "", 1) != 1) abort(); }
void *worker(void *none) { while (!stop) come(); return none; }
int main(int argc, char **argv) {
  pthread_t t;
  struct epoll_event event;
  int queue = epoll_create1(0);
  if (pipe(ends) != 0) return 8;
  event.events = EPOLLIN;
  epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event);
  signal(SIGTERM, end);
  pthread_create(&t, NULL, worker, NULL);
  ready(argv[1]);
  while (!stop) {
    int got = epoll_wait(queue, &event, 1, -1);
    if (got < 0 && !stop) return errno == EINTR ? 3 : 4;
  }
  pthread_join(t, NULL);
  return 7;
}`;

  it('has no call ended that would not have ended', async () => {
    const folder = scratchFolder();
    const child = await running(folder, compiledC(folder, WAITING));
    for (let times = 0; times < 20; times++) {
      const target = await attachTarget(child.pid, { watchpoints });
      const come = await functionNamed(target, 'come');
      await target.plant([come.start]);
      const held = await nextOf(target, 'breakpoint');
      const address = come.start & ~7n;
      const watch = await target.arm([{ address, size: 8 }], 'store', held.runner);
      // Ignored by default, and so by everybody who is not traced.
      sendSignal(child.pid, Signal.SIGCHLD);
      sendSignal(child.pid, Signal.SIGWINCH);
      await target.next(performance.now() + 2);
      await target.disarm(watch!);
      await target.release(held.runner);
      await target.leave();
    }
    sendSignal(child.pid, Signal.SIGTERM);
    expect(await statusOf(child)).toBe(SEVEN);
  });

  it('stops and goes on as the user wants', async () => {
    const folder = scratchFolder();
    const child = await running(
      folder,
      compiledC(folder, WAITING.replace('return errno == EINTR ? 3 : 4', 'continue')),
    );
    const target = await attachTarget(child.pid, { watchpoints });
    const come = await functionNamed(target, 'come');
    for (let times = 0; times < 5; times++) {
      await target.plant([come.start]);
      const held = await nextOf(target, 'breakpoint');
      sendSignal(child.pid, Signal.SIGSTOP);
      await target.release(held.runner);
      await until(target, () => 'Tt'.includes(stateOf(child.pid)));
      await target.plant([come.start]);
      for (const deadline = performance.now() + 50; ; ) {
        const event = await target.next(deadline);
        if (event.kind === 'deadline') break;
        // What was on its way.
        if (event.kind === 'breakpoint') await target.release(event.runner);
      }
      sendSignal(child.pid, Signal.SIGCONT);
      await target.plant([come.start]);
      await target.release((await nextOf(target, 'breakpoint')).runner);
    }
    // Who was stopped stays so.
    sendSignal(child.pid, Signal.SIGSTOP);
    await until(target, () => 'Tt'.includes(stateOf(child.pid)));
    await target.leave();
    expect(target.process.isTraced).toBe(false);
    await staysStopped(child.pid);
    const again = await attachTarget(child.pid, { watchpoints });
    await again.next(performance.now() + 20);
    await again.leave();
    await staysStopped(child.pid);
    sendSignal(child.pid, Signal.SIGCONT);
    sendSignal(child.pid, Signal.SIGTERM);
    expect(await statusOf(child)).toBe(SEVEN);
  });

  it('does not get a late signal of ours after we have left', async () => {
    const folder = scratchFolder();
    const path = compiledC(
      folder,
      `
long data;
__attribute__((noinline)) void come(void) { data++; }
void *worker(void *none) { for (;;) { come(); usleep(1000); } return none; }
int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  char path[4096];
  ready(argv[1]);
  snprintf(path, sizeof path, "%s/armed", argv[1]);
  while (access(path, F_OK) != 0) usleep(1000);
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &trap, NULL);
  data--;
  snprintf(path, sizeof path, "%s/touched", argv[1]);
  fclose(fopen(path, "w"));
  snprintf(path, sizeof path, "%s/left", argv[1]);
  while (access(path, F_OK) != 0) usleep(1000);
  pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
  usleep(1000);
  return 7;
}`,
    );
    const child = await running(folder, path);
    const target = await attachTarget(child.pid, { watchpoints });
    await inWindow(target);
    writeFileSync(join(folder, 'armed'), '');
    await until(target, () => existsSync(join(folder, 'touched')));
    await target.leave();
    writeFileSync(join(folder, 'left'), '');
    expect(await statusOf(child)).toBe(SEVEN);
  });
});
