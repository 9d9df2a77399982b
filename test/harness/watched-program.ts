/** Small C programs that are watched by tests of src/watch/ptrace: compiled, started, and gone afterwards. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { tryTo } from '../../src/base/result.ts';
import { type Pid, tid, traceeAddress } from '../../src/linux/ids.ts';
import { mappingsOf } from '../../src/linux/memory-maps.ts';
import { PLAIN_INHERITANCE } from '../../src/linux/own-inheritance.ts';
import { readMemory } from '../../src/linux/process-memory.ts';
import { detach, interrupt, peekUser, seize } from '../../src/linux/ptrace.ts';
import { threadsOf } from '../../src/linux/running-process.ts';
import { Signal, sendSignal } from '../../src/linux/signals.ts';
import type { Program } from '../../src/linux/start-traced.ts';
import { startUntraced, type UntracedChild } from '../../src/linux/start-untraced.ts';
import { nextStop, nextStopWithin } from '../../src/linux/tracee-stop.ts';

/** offsetof(struct user, u_debugreg), <sys/user.h>. */
const DEBUG_REGISTERS_AT = 848;

const HEADERS = ['pthread.h', 'sched.h', 'signal.h', 'stdio.h', 'stdlib.h', 'string.h', 'unistd.h']
  .concat(['errno.h', 'dlfcn.h', 'spawn.h', 'sys/epoll.h', 'sys/mman.h', 'sys/wait.h'])
  .map((name) => `#include <${name}>\n`)
  .join('');

/** `ready()` tells the test that all is there; it waits for the file `ready` in the program's folder. */
const READY = `
static void ready(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/ready", folder);
  fclose(fopen(path, "w"));
}
`;

/** Four threads that do sums in turns, and know what comes of these; SIGTERM ends it, with this status. */
export const CHECKING = `
long shared, sum[4];
volatile int stop;
__attribute__((noinline)) void mix(volatile long *place, long value) { *place += value; shared++; }
void *worker(void *number) {
  long *place = &sum[(long)number], expected = 0;
  for (long i = 0; !stop; i++) {
    expected += i & 1023;
    mix(place, i & 1023);
    if (*(volatile long *)place != expected) abort();
  }
  return NULL;
}
void end(int signal) { stop = signal; }
int main(int argc, char **argv) {
  pthread_t t[4];
  signal(SIGTERM, end);
  for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, (void *)i);
  ready(argv[1]);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return 7;
}`;
export const CHECKED = 7 << 8;

/** The path of the program; its folder is its first argument, as `runnable` starts it. */
export function compiledC(folder: string, text: string, name = 'program', ...options: string[]) {
  const [source, path] = [join(folder, `${name}.c`), join(folder, name)];
  writeFileSync(source, `#define _GNU_SOURCE\n${HEADERS}${READY}\n#line 1 "${name}.c"\n${text}`);
  const flags = ['-g', '-O1', '-pthread', '-Wno-unused-function'];
  execFileSync('cc', [...flags, ...options, '-o', path, source], { stdio: 'pipe' });
  return path;
}

export function runnable(folder: string, path: string, ...args: string[]): Program {
  const environment = ['PATH=/usr/bin:/bin'];
  return { path, args: [path, folder, ...args], environment, inheritance: PLAIN_INHERITANCE };
}

/** Started by nobody who traces it, and ready. */
export async function running(
  folder: string,
  path: string,
  ...args: string[]
): Promise<UntracedChild> {
  const child = startUntraced(runnable(folder, path, ...args));
  onTestFinished(() => ended(child));
  while (!existsSync(join(folder, 'ready')) && child.status() === undefined) await sleep(5);
  return child;
}

/** Kills what is left of it. */
function ended(child: UntracedChild): void {
  if (child.status() !== undefined) return;
  void tryTo(() => sendSignal(child.pid, Signal.SIGKILL));
  // If the test has failed, its threads are traced by us, and wait to be seen.
  while (child.status() === undefined && existsSync(`/proc/${child.pid}`)) nextStopWithin(5);
}

/** Its raw wait status, when it has ended. */
export async function statusOf(child: UntracedChild): Promise<number | undefined> {
  while (child.status() === undefined && existsSync(`/proc/${child.pid}`)) await sleep(5);
  return child.status();
}

/** What a tracer finds in the debug registers of all threads: addresses and what is enabled. */
export function debugRegistersOf(process: Pid): Set<bigint> {
  const found = new Set<bigint>();
  for (const task of threadsOf(process)) {
    seize(task, 0);
    interrupt(task);
    nextStop(task);
    for (const register of [0, 1, 2, 3, 7])
      found.add(peekUser(task, DEBUG_REGISTERS_AT + 8 * register));
    detach(task);
  }
  return found;
}

/** All that is mapped as code from files, as it is in memory. */
export function codeOf(process: Pid): Map<string, string> {
  const code = mappingsOf(process).filter((one) => one.isExecutable && one.inode !== 0);
  return new Map(
    code.map(({ path, start, end }) => [
      `${path} ${start.toString(16)}`,
      readMemory(tid(process), traceeAddress(start), Number(end - start)).toString('hex'),
    ]),
  );
}
