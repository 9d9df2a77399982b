/** What becomes of a watched process: threads and processes that come and go, other code, its end. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { tid } from '../src/linux/ids.ts';
import { isRunning } from '../src/linux/running-process.ts';
import { Signal, sendSignal } from '../src/linux/signals.ts';
import { attachTarget } from '../src/watch/ptrace/attach.ts';
import { scratchFolder } from './harness/scratch.ts';
import { compiledC, running, statusOf } from './harness/watched-program.ts';
import {
  functionNamed,
  inWindow,
  launched,
  nextOf,
  toTheEnd,
  WAYS,
} from './harness/watched-target.ts';

describe('a watched process', () => {
  it('has its breakpoints before it begins, however short it is', async () => {
    const { target } = await launched(`
__attribute__((noinline)) int visit(int n) { return n * 3; }
int main(int argc, char **argv) { return visit(4); }`);
    expect(target.waitsToBegin).toBe(true);
    const { start } = await functionNamed(target, 'visit');
    await target.plant([start]);
    // As if we had been kept from running once it has begun.
    const release = target.release.bind(target);
    target.release = async (runner) => release(runner).then(() => sleep(200));
    const { runner, address } = await nextOf(target, 'breakpoint');
    expect(address).toBe(start);
    await target.release(runner);
    expect((await nextOf(target, 'ended')).end).toEqual({ code: 12 });
  });

  it('forks children that have nothing of us', async () => {
    const { target } = await launched(`
__attribute__((noinline)) int visit(int n) { return n * 3; }
int main(int argc, char **argv) {
  int right = 0;
  for (int i = 0; i < 40; i++) {
    visit(i);
    pid_t child = fork();
    if (child == 0) { for (int k = 0; k < 100; k++) if (visit(k) != 3 * k) _exit(9); _exit(visit(11)); }
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 33) right++;
  }
  return right;
}`);
    expect(await toTheEnd(target, 'visit')).toEqual({ kind: 'ended', end: { code: 40 } });
  });

  it('may have children that share its memory, which run past breakpoints', async () => {
    const { target } = await launched(`
extern char **environ;
__attribute__((noinline)) int visit(int n) { return n * 3; }
int main(int argc, char **argv) {
  int right = 0;
  for (int i = 0; i < 20; i++) {
    visit(i);
    pid_t child = vfork();
    if (child == 0) { if (visit(7) == 21) execl("/bin/true", "true", NULL); _exit(9); }
    int status;
    waitpid(child, &status, 0);
    if (status == 0) right++;
    char *args[] = {"true", NULL};
    if (posix_spawn(&child, "/bin/true", NULL, NULL, args, environ) == 0) {
      waitpid(child, &status, 0);
      if (status == 0) right++;
    }
  }
  return right;
}`);
    expect(await toTheEnd(target, 'visit')).toEqual({ kind: 'ended', end: { code: 40 } });
  });

  it('may be another program later, of which all is new', async () => {
    const folder = scratchFolder();
    const next = compiledC(
      folder,
      `
__attribute__((noinline)) int other_code(int n) { return n * 5; }
int main(int argc, char **argv) { while (access(argv[1], F_OK) != 0) usleep(1000); return other_code(argc); }`,
      'next',
    );
    const { folder: own, target } = await launched(
      `
long data;
__attribute__((noinline)) void come(void) { data++; }
void *worker(void *none) { for (;;) come(); return none; }
int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  char now[4096];
  snprintf(now, sizeof now, "%s/now", argv[1]);
  while (access(now, F_OK) != 0) usleep(1000);
  execl(argv[2], argv[2], argv[3], NULL);
  return 99;
}`,
      {},
      next,
      join(folder, 'planted'),
    );
    const come = await functionNamed(target, 'come');
    await target.plant([come.start]);
    const held = await nextOf(target, 'breakpoint');
    const address = come.start & ~7n;
    await target.arm([{ address, size: 8 }], 'store', held.runner);
    writeFileSync(join(own, 'now'), '');
    expect(await target.next(performance.now() + 60_000)).toEqual({
      kind: 'lost',
      runner: held.runner,
    });
    await nextOf(target, 'code-changed');
    const names = (await target.functions()).map(({ name }) => name);
    expect(names).toContain('other_code');
    expect(names).not.toContain('come');
    const other = await functionNamed(target, 'other_code');
    await target.plant([other.start]);
    writeFileSync(join(folder, 'planted'), '');
    const { runner } = await nextOf(target, 'breakpoint');
    await target.release(runner);
    expect((await nextOf(target, 'ended')).end).toEqual({ code: 10 });
  });

  it('loads and drops libraries, whose code is known while it is there', async () => {
    const folder = scratchFolder();
    const library = compiledC(
      folder,
      '__attribute__((noinline)) int inside(int n) { return n + 2; }\nint call(int n) { return inside(n); }',
      'libcome.so',
      '-shared',
      '-fPIC',
    );
    const { target } = await launched(
      `
int main(int argc, char **argv) {
  int right = 0;
  for (int i = 0; i < 5; i++) {
    void *library = dlopen(argv[2], RTLD_NOW);
    int (*call)(int) = dlsym(library, "call");
    for (int k = 0; k < 10; k++) right += call(k) == k + 2;
    void *other = dlopen("libm.so.6", RTLD_NOW);
    dlclose(other);
    right += call(1) == 3;
    dlclose(library);
  }
  return right;
}`,
      { also: ['libcome.so'] },
      library,
    );
    let [changes, hits] = [0, 0];
    let inside: bigint | undefined;
    for (;;) {
      const event = await target.next(performance.now() + 60_000);
      if (event.kind === 'code-changed') {
        changes++;
        const now = (await target.functions()).find(({ name }) => name === 'inside')?.start;
        if (now === undefined && inside !== undefined) {
          expect(await target.plant([inside])).toEqual([]);
        }
        inside = now;
        if (inside !== undefined) expect(await target.plant([inside])).toEqual([inside]);
      } else if (event.kind === 'breakpoint') {
        hits++;
        await target.release(event.runner);
        await target.plant([event.address]);
      } else {
        expect(event).toEqual({ kind: 'ended', end: { code: 55 } });
        break;
      }
    }
    expect(changes).toBe(10);
    expect(hits).toBeGreaterThanOrEqual(5);
  });
});

describe.each(WAYS)('a watched process that ends, with %s', (watchpoints) => {
  const ENDING = `
long data;
__attribute__((noinline)) void come(void) { data++; }
void *worker(void *none) { for (;;) come(); return none; }
int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  char now[4096];
  snprintf(now, sizeof now, "%s/now", argv[1]);
  ready(argv[1]);
  while (access(now, F_OK) != 0) usleep(1000);
  return 5;
}`;

  it('takes a thread with it that is held', async () => {
    const { folder, target } = await launched(ENDING, { watchpoints });
    const { held, watch } = await inWindow(target);
    writeFileSync(join(folder, 'now'), '');
    expect((await nextOf(target, 'lost')).runner).toBe(held.runner);
    expect((await nextOf(target, 'ended')).end).toEqual({ code: 5 });
    // Whatever the loop does for a window that was open.
    await target.disarm(watch);
    await target.unplant([held.address]);
    await target.release(held.runner);
    expect(await target.plant([held.address])).toEqual([]);
    expect(await target.arm(watch.pieces, 'store', held.runner)).toBeUndefined();
    await target.leave();
  });

  it('may be killed in mid-window', async () => {
    const folder = scratchFolder();
    const child = await running(folder, compiledC(folder, ENDING));
    const target = await attachTarget(child.pid, { watchpoints });
    const { held, watch } = await inWindow(target);
    sendSignal(child.pid, Signal.SIGKILL);
    // Its memory is gone before we hear of it.
    while (isRunning(tid(held.runner)) || isRunning(tid(child.pid))) await sleep(2);
    expect(await target.read(held.address, 8)).toHaveLength(0);
    expect(await target.stack(held.runner, held.registers)).toHaveLength(1);
    expect(await target.dataName(held.address, held.runner, held.registers)).toBe('');
    expect(await target.plant([held.address + 1n])).toEqual([]);
    await target.unplant([held.address]);
    await target.arm(watch.pieces, 'store', held.runner);
    await target.who(held.runner);
    expect((await nextOf(target, 'lost')).runner).toBe(held.runner);
    expect((await nextOf(target, 'ended')).end).toEqual({ signal: 'SIGKILL' });
    await target.disarm(watch);
    await target.release(held.runner);
    await target.leave();
    expect(existsSync(`/proc/${child.pid}`)).toBe(false);
    expect(await statusOf(child)).toBeUndefined();
  });
});
