/** What a program may do while two of its threads are being brought together, and does unharmed. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RacingSides } from '../src/threads/confirm/side.ts';
import { standOff } from '../src/threads/confirm/stand-off.ts';
import { LIMITS, racingProgram, runnable, runningFrom, sideAt } from './harness/racing-program.ts';
import { scratchFolder } from './harness/scratch.ts';
import { confirmed, GLOBAL, missed, SAY, said, standingOff } from './harness/standing-off.ts';

describe('a program', () => {
  it('may end before anybody has come', async () => {
    const ran = await standingOff(
      GLOBAL.replace('int main(void) {', 'int main(void) { if (!shared) return 9;').replace(
        '= 5',
        '= 0',
      ),
    );
    expect(missed(ran)).toMatchObject({ cause: 'ended', attempts: 3 });
    expect(missed(ran).reason).toMatch(
      /^the program ended with status 9: no thread came to racing.c:3 or racing.c:4/,
    );
  });

  it('may crash', async () => {
    const ran = await standingOff(GLOBAL.replace('load();', 'abort();'), {
      limits: { attempts: 1 },
    });
    expect(missed(ran).reason).toMatch(/^the program was killed by SIGABRT/);
  });

  it('may crash at the very access, where it would have', async () => {
    const ran = await standingOff(
      `${SAY}
char **arguments;
extern char side_a[];
void crashed(int signal, siginfo_t *info, void *context) {
  ucontext_t *at = context;
  say(arguments, (char *)at->uc_mcontext.gregs[REG_RIP] == side_a ? "there" : "elsewhere");
  _exit(4);
}
int main(int argc, char **argv) {
  arguments = argv;
  struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  int *nowhere = NULL;
  SIDE_A("movl $7, %0", : "=m"(*nowhere));
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(*nowhere));
  return 0;
}`,
      { limits: { attempts: 1 }, variable: ['arguments', 8] },
    );
    missed(ran);
    expect(said(ran.folder)).toBe('there');
  });

  it('may never end', async () => {
    const ran = await standingOff(GLOBAL.replace('pthread_join(t, NULL);', 'for (;;) pause();'), {
      limits: { endMs: 200 },
    });
    expect(confirmed(ran).end).toEqual({ signal: 15 });
  });

  it('may never end, and not heed signals', async () => {
    const ran = await standingOff(
      GLOBAL.replace('load();', 'signal(SIGTERM, SIG_IGN); for (;;) pause();'),
      { limits: { runMs: 500, attempts: 1 } },
    );
    expect(missed(ran).cause).toBe('too-long');
  });

  it('may run for ever without coming anywhere', async () => {
    const ran = await standingOff(GLOBAL.replace('load();', 'for (;;);'), {
      limits: { patienceMs: 500, endMs: 100, attempts: 1 },
    });
    expect(missed(ran)).toMatchObject({ cause: 'stalled' });
    expect(missed(ran).reason).toMatch(/stood at racing.c:3, and nobody came: thread \d+ runs$/);
  });

  it('may fork, execute and spawn others, which are not stopped', async () => {
    const ran = await standingOff(
      `#include <spawn.h>
${SAY}
extern char **environ;
long spare;
int shared;
void touch(void) {
  SIDE_A("movl $7, %0", : "=m"(shared));
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
}
int main(int argc, char **argv) {
  int status = 0, failed = 0;
  if (fork() == 0) { for (int i = 0; i < 100; i++) touch(); _exit(0); }
  wait(&status); failed |= status;
  for (int i = 0; i < 5; i++) {
    if (vfork() == 0) { touch(); execl("/bin/true", "true", NULL); _exit(1); }
    wait(&status); failed |= status;
  }
  pid_t child; char *arguments[] = {"true", NULL};
  failed |= posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
  wait(&status); failed |= status;
  failed |= system("true");
  touch();
  say(argv, failed ? "failed" : "fine");
  return 0;
}`,
      { limits: { attempts: 1 }, variable: ['spare', 8] },
    );
    expect(missed(ran).cause).toBe('ended');
    expect(said(ran.folder)).toBe('fine');
  });

  it('may end before those that it has started, which go on', async () => {
    const ran = await standingOff(
      `${SAY}
int shared;
void touch(void) {
  SIDE_A("movl $7, %0", : "=m"(shared));
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
}
int spare;
int main(int argc, char **argv) {
  for (int i = 0; i < 20; i++) {
    if (fork() == 0) { for (int j = 0; j < 100; j++) touch(); say(argv, "x"); _exit(0); }
  }
  return 0;
}`,
      { limits: { attempts: 1 }, variable: ['spare', 4], leavesOthers: true },
    );
    missed(ran);
    while (runningFrom(ran.folder).length > 0) await sleep(20);
    expect(said(ran.folder)).toBe('x'.repeat(20));
  });

  it('may unload a library in which threads were to be held', async () => {
    const folder = scratchFolder();
    const library = join(folder, 'late.so');
    writeFileSync(
      join(folder, 'late.c'),
      `int shared; void store(void) { __asm__ volatile(".globl side_a\\nside_a: movl $7, %0" : "=m"(shared)); }`,
    );
    execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, join(folder, 'late.c')]);
    const binary = racingProgram(
      folder,
      `
#include <dlfcn.h>
int shared;
int main(int argc, char **argv) {
  dlclose(dlopen(argv[1], RTLD_NOW));
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
  return 0;
}`,
    );
    const sides = [sideAt(library, 'side_a', true), sideAt(binary, 'side_b', false)] as const;
    const result = await standOff(runnable(folder, binary, library), undefined, { sides }, LIMITS);
    expect(result).toMatchObject({ kind: 'missed' });
    expect(runningFrom(folder)).toEqual([]);
  });

  it('may execute another in its place', async () => {
    const ran = await standingOff(
      GLOBAL.replace(
        'int main(void) {',
        'int main(int argc, char **argv) { if (argc > 1) { execl(argv[0], argv[0], NULL); return 1; }',
      ),
    );
    expect(confirmed(ran).end).toEqual({ status: 7 });
  });

  it('may use SIGTRAP for itself', async () => {
    const ran = await standingOff(
      `${SAY}
volatile int traps;
void trapped(int signal) { traps++; }
int shared;
void *worker(void *none) {
  for (int i = 0; i < 100; i++) { SIDE_A("movl $7, %0", : "=m"(shared)); raise(SIGTRAP); __asm__ volatile("int3"); }
  return none;
}
int main(int argc, char **argv) {
  signal(SIGTRAP, trapped);
  pthread_t t = start(worker);
  pthread_join(t, NULL);
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared));
  say(argv, traps == 200 ? "200" : "other");
  return 0;
}`,
      { limits: { attempts: 1 }, variable: ['traps', 4] },
    );
    missed(ran);
    expect(said(ran.folder)).toBe('200');
  });

  it('sees nothing of us in its signal handlers', async () => {
    const ran = await standingOff(
      `#include <dlfcn.h>
#include <sys/time.h>
${SAY}
volatile int ticks, astray;
void ticked(int signal, siginfo_t *info, void *context) {
  ucontext_t *at = context;
  Dl_info found;
  ticks++;
  if (!dladdr((void *)at->uc_mcontext.gregs[REG_RIP], &found)) astray++;
}
long count;
void *worker(void *none) {
  for (int i = 0; i < 3000 || ticks < 20; i++) SIDE_A("addq $1, %0", : "+m"(count));
  return none;
}
int main(int argc, char **argv) {
  struct sigaction action = {.sa_sigaction = ticked, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, NULL);
  sigset_t alarms; sigemptyset(&alarms); sigaddset(&alarms, SIGALRM);
  pthread_t t = start(worker);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  pthread_join(t, NULL);
  long v; SIDE_B("movq %1, %0", : "=r"(v) : "m"(count));
  say(argv, astray ? "astray" : "fine");
  return 0;
}`,
      { limits: { attempts: 1 }, variable: ['ticks', 4] },
    );
    missed(ran);
    expect(said(ran.folder)).toBe('fine');
  });

  it('counts right, though many threads pass breakpoints at once', async () => {
    const ran = await standingOff(
      `${SAY}
long count, spare;
void *worker(void *none) {
  for (int i = 0; i < 2000; i++) SIDE_A("lock addq $1, %0", : "+m"(count));
  return none;
}
int main(int argc, char **argv) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) t[i] = start(worker);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  long v; SIDE_B("movq %1, %0", : "=r"(v) : "m"(count));
  say(argv, v == 8000 ? "8000" : "other");
  return 0;
}`,
      { limits: { attempts: 1 }, variable: ['spare', 8] },
    );
    missed(ran);
    expect(said(ran.folder)).toBe('8000');
  });

  it('may come a hundred thousand times to where nothing new is to be seen', async () => {
    const ran = await standingOff(
      `
int cells[2];
void *worker(void *none) {
  for (volatile int i = 0; i < 100000; i++) SIDE_A("movl $7, %0", : "=m"(cells[0]));
  return none;
}
int main(void) {
  pthread_join(start(worker), NULL);
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(cells[1]));
  return 0;
}`,
      { limits: { attempts: 1 } },
    );
    expect(missed(ran).cause).toBe('stalled');
  });

  it('that was built anew is not run', async () => {
    const folder = scratchFolder();
    const binary = racingProgram(folder, GLOBAL);
    const race: RacingSides = {
      sides: [sideAt(binary, 'side_a', true), sideAt(binary, 'side_b', false)],
    };
    racingProgram(folder, GLOBAL.replace('= 5', '= 6'));
    await expect(standOff(runnable(folder, binary), undefined, race, LIMITS)).rejects.toThrow(
      'the program is not the one that was traced',
    );
  });
});
