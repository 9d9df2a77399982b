/** Real programs, and whether two of their threads can be brought to stand at the same bytes at once. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RacingSides } from '../src/threads/confirm/side.ts';
import { standOff } from '../src/threads/confirm/stand-off.ts';
import {
  LIMITS,
  racingProgram,
  runnable,
  runningFrom,
  sideAt,
  symbolIn,
  variableIn,
} from './harness/racing-program.ts';
import { scratchFolder } from './harness/scratch.ts';
import { confirmed, GLOBAL, missed, standingOff } from './harness/standing-off.ts';

describe('confirmed is a race', () => {
  it('on a global, with both stacks, the registers and the value before', async () => {
    const ran = await standingOff(GLOBAL, { variable: ['shared', 4] });
    const { sides, end, attempts } = confirmed(ran);
    const [store, load] = sides;
    expect(attempts).toBe(1);
    expect(end).toEqual({ status: 7 });
    expect(store.address).toBe(load.address);
    expect([store.isStore, load.isStore]).toEqual([true, false]);
    expect([...store.value]).toEqual([5, 0, 0, 0]);
    expect(store.tid).not.toBe(load.tid);
    expect(store.stack.slice(0, 2).map((site) => [site.function, site.line])).toEqual([
      ['store', 3],
      ['worker', 5],
    ]);
    // The last is the C library's, which need not have names for it.
    expect(store.stack.at(-1)?.module).toBe('libc.so.6');
    expect(load.stack.slice(0, 2).map((site) => [site.function, site.line])).toEqual([
      ['load', 4],
      ['main', 6],
    ]);
    expect(load.stack.at(-1)?.function).toBe('_start');
    expect(store.stack[0]).toMatchObject({ module: 'racing', file: /racing\.c$/ });
    const bias = store.address - BigInt(symbolIn(ran.binary, 'shared'));
    expect(store.registers.instruction - bias).toBe(BigInt(symbolIn(ran.binary, 'side_a')));
  });

  it('on the heap', async () => {
    const ran = await standingOff(`
long *shared;
void *worker(void *none) { SIDE_A("movq $7, %0", : "=m"(shared[3])); return none; }
int main(void) {
  shared = calloc(10, 8);
  pthread_t t = start(worker);
  SIDE_B("addq $1, %0", : "+m"(shared[3]));
  pthread_join(t, NULL);
  return 0;
}`);
    const { sides } = confirmed(ran);
    expect(sides[0]).toMatchObject({ size: 8, value: Buffer.alloc(8) });
  });

  const ELEMENT = `
int table[100];
void *worker(void *none) { SIDE_A("movl $7, %0", : "=m"(table[60])); return none; }
int main(void) {
  pthread_t t = start(worker);
  int sum = 0;
  for (int i = 0; i < 100; i++) { int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(table[i])); sum += v; }
  pthread_join(t, NULL);
  return sum;
}`;
  it('in one element of an array, that a loop goes through', async () => {
    const ran = await standingOff(ELEMENT);
    const { sides } = confirmed(ran);
    expect(sides[1].address).toBe(sides[0].address);
  });

  it('in the element that is known to be the one', async () => {
    const ran = await standingOff(ELEMENT.replace('table[100]', 'table[100]; int spare'), {
      variable: ['table', 400],
    });
    confirmed(ran);
  });

  it('in an element that only other runs can tell', async () => {
    // Whoever is held first stands at an element that the other does not touch.
    const ran = await standingOff(
      `
int table[10];
void *worker(void *none) {
  for (volatile int i = 5; i < 10; i++) SIDE_A("movl $7, %0", : "=m"(table[i]));
  return none;
}
int main(void) {
  pthread_t t = start(worker);
  for (volatile int i = 0; i < 6; i++) { int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(table[i])); }
  pthread_join(t, NULL);
  return 0;
}`,
      { variable: ['table', 4] },
    );
    const { sides } = confirmed(ran);
    expect(sides[0].address).toBe(sides[1].address);
  });

  it('on a field of a structure', async () => {
    const ran = await standingOff(`
struct { char name[13]; char flag; short count; } shared;
void *worker(void *none) { SIDE_A("movb $1, %0", : "=m"(shared.flag)); return none; }
int main(void) {
  pthread_t t = start(worker);
  char v; SIDE_B("movb %1, %0", : "=q"(v) : "m"(shared.flag));
  pthread_join(t, NULL);
  return 0;
}`);
    expect(confirmed(ran).sides[0].size).toBe(1);
  });

  it('between accesses that overlap in part', async () => {
    const ran = await standingOff(`
union { long whole; int half[2]; } shared;
void *worker(void *none) { SIDE_A("movq $-1, %0", : "=m"(shared.whole)); return none; }
int main(void) {
  pthread_t t = start(worker);
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(shared.half[1]));
  pthread_join(t, NULL);
  return 0;
}`);
    const { sides } = confirmed(ran);
    expect(sides[1].address - sides[0].address).toBe(4n);
    expect([sides[0].size, sides[1].size]).toEqual([8, 4]);
  });

  it('with a copy of many bytes', async () => {
    const ran = await standingOff(`
char from[5000], to[5000];
void *worker(void *none) {
  void *d = to, *s = from; long n = 5000;
  SIDE_A("rep movsb", : "+D"(d), "+S"(s), "+c"(n) : : "memory");
  return none;
}
int main(void) {
  memset(from, 'x', 5000);
  pthread_t t = start(worker);
  char v; SIDE_B("movb %1, %0", : "=q"(v) : "m"(to[4321]));
  pthread_join(t, NULL);
  return memcmp(from, to, 5000) != 0;
}`);
    const { sides, end } = confirmed(ran);
    expect(sides[0].size).toBe(5000);
    expect(end).toEqual({ status: 0 });
  });

  it('with both sides at the same instruction', async () => {
    const ran = await standingOff(
      `
long count;
void *worker(void *none) { SIDE_A("addq $1, %0", : "+m"(count)); return none; }
int main(void) {
  pthread_t one = start(worker), two = start(worker);
  pthread_join(one, NULL); pthread_join(two, NULL);
  return 0;
}`,
      { labels: ['side_a', 'side_a'], stores: 'ab' },
    );
    confirmed(ran);
  });

  it('on a pointer to a function, that is called', async () => {
    const ran = await standingOff(
      `
int one(void) { return 41; }
int two(void) { return 42; }
int (*volatile callback)(void) = one;
void *worker(void *none) {
  void *to = two; SIDE_A("movq %1, %0", : "=m"(callback) : "r"(to)); return none;
}
int main(void) {
  pthread_t t = start(worker);
  int result; SIDE_B("call *%1", : "=a"(result) : "m"(callback)
    : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
  pthread_join(t, NULL);
  return result;
}`,
      { options: ['-mno-red-zone'] },
    );
    const { end } = confirmed(ran);
    expect([{ status: 41 }, { status: 42 }]).toContainEqual(end);
  });

  it('with a call that copies memory', async () => {
    const folder = scratchFolder();
    const text = `
char from[100], to[100];
void *worker(void *none) {
  void *d = to, *s = from; long n = 100;
  __asm__ volatile("call memcpy@plt\\n.globl copied\\ncopied:" : "+D"(d), "+S"(s), "+d"(n)
    : : "rax", "rcx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3");
  return none;
}
int main(void) {
  memset(from, 'x', 100);
  pthread_t t = start(worker);
  char v; SIDE_B("movb %1, %0", : "=q"(v) : "m"(to[50]));
  pthread_join(t, NULL);
  return memcmp(from, to, 100) != 0;
}`;
    const binary = racingProgram(folder, text, '-mno-red-zone');
    // A trace has calls by the last byte of theirs.
    const call = sideAt(binary, 'copied', true);
    const code = { ...call.code, address: call.code.address - 1 };
    const sides = [{ ...call, code }, sideAt(binary, 'side_b', false)] as const;
    const result = await standOff(runnable(folder, binary), undefined, { sides }, LIMITS);
    expect(result).toMatchObject({
      kind: 'confirmed',
      end: { status: 0 },
      sides: [{ size: 100 }, {}],
    });
    // Into the middle of an instruction nothing is ever put.
    const middle = { ...call, code: { ...code, address: code.address - 1 } };
    const astray = { sides: [middle, sides[1]] as const };
    expect(await standOff(runnable(folder, binary), undefined, astray, LIMITS)).toMatchObject({
      ...{ kind: 'missed', cause: 'impossible', attempts: 1 },
    });
  });

  it('on a variable of another thread', async () => {
    const ran = await standingOff(`
static __thread int own;
int *theirs;
sem_t told, seen;
void *worker(void *none) {
  theirs = &own; sem_post(&told);
  SIDE_A("movl $7, %0", : "=m"(own));
  sem_wait(&seen);
  return none;
}
int main(void) {
  sem_init(&told, 0, 0); sem_init(&seen, 0, 0);
  pthread_t t = start(worker);
  sem_wait(&told);
  int v; SIDE_B("movl %1, %0", : "=r"(v) : "m"(*theirs));
  sem_post(&seen);
  pthread_join(t, NULL);
  return 0;
}`);
    confirmed(ran);
  });

  it('of two among a hundred threads', async () => {
    const ran = await standingOff(
      `
long sums[100], shared;
void *worker(void *index) {
  for (int i = 0; i < 20; i++) {
    long *at = &sums[(long)index];
    if (i == 10 && ((long)index == 33 || (long)index == 66)) at = &shared;
    SIDE_A("addq $1, %0", : "+m"(*at));
  }
  return NULL;
}
int main(void) {
  pthread_t t[100];
  for (long i = 0; i < 100; i++) pthread_create(&t[i], NULL, worker, (void *)i);
  for (int i = 0; i < 100; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < 100; i++) if (sums[i] != (i == 33 || i == 66 ? 19 : 20)) return 1;
  return 0;
}`,
      { labels: ['side_a', 'side_a'], stores: 'ab', variable: ['shared', 8] },
    );
    const { end } = confirmed(ran);
    expect(end).toEqual({ status: 0 });
  });

  it('in a library that is loaded later', async () => {
    const folder = scratchFolder();
    const library = join(folder, 'late.so');
    writeFileSync(
      join(folder, 'late.c'),
      `int shared;
void store(void) { __asm__ volatile(".globl side_a\\nside_a: movl $7, %0" : "=m"(shared)); }
int load(void) { int v; __asm__ volatile(".globl side_b\\nside_b: movl %1, %0" : "=r"(v) : "m"(shared)); return v; }
`,
    );
    const flags = ['-g', '-O1', '-shared', '-fPIC', '-Wl,-Bsymbolic'];
    execFileSync('cc', [...flags, '-o', library, join(folder, 'late.c')]);
    const binary = racingProgram(
      folder,
      `
#include <dlfcn.h>
void *worker(void *store) { ((void (*)(void))store)(); return NULL; }
int main(int argc, char **argv) {
  if (argc < 2) return 0;
  void *late = dlopen(argv[1], RTLD_NOW);
  pthread_t t; pthread_create(&t, NULL, worker, dlsym(late, "store"));
  ((int (*)(void))dlsym(late, "load"))();
  pthread_join(t, NULL);
  return 0;
}`,
    );
    const race: RacingSides = {
      sides: [sideAt(library, 'side_a', true), sideAt(library, 'side_b', false)],
      variable: variableIn(library, 'shared', 4),
    };
    const result = await standOff(runnable(folder, binary, library), undefined, race, LIMITS);
    expect(result, JSON.stringify('reason' in result && result.reason)).toMatchObject({
      kind: 'confirmed',
    });
    const without = await standOff(runnable(folder, binary), undefined, race, LIMITS);
    expect(without).toMatchObject({ kind: 'missed', cause: 'not-loaded', attempts: 1 });
    expect(runningFrom(folder)).toEqual([]);
  });
});

describe('never confirmed is', () => {
  it('what a lock protects', async () => {
    const ran = await standingOff(
      GLOBAL.replace('{ store(); return none; }', '{ LOCKED(store()); return none; }')
        .replace(' load();', ' LOCKED(load());')
        .replace(
          'int shared',
          '#define LOCKED(what) pthread_mutex_lock(&mutex), what, pthread_mutex_unlock(&mutex)\nint shared',
        ),
      { limits: { attempts: 2 } },
    );
    const { cause, reason, attempts } = missed(ran);
    expect(cause).toBe('stalled');
    expect(attempts).toBe(2);
    expect(reason).toMatch(/waits in \w*mutex_lock\w* at racing.c:[67]/);
  });

  it('what comes after a join', async () => {
    const ran = await standingOff(
      GLOBAL.replace('load(); pthread_join(t, NULL);', 'pthread_join(t, NULL); load();'),
      {
        limits: { attempts: 1 },
      },
    );
    expect(missed(ran).reason).toMatch(
      /stood at racing.c:3, and nobody came: thread \d+ waits in pthread_join at racing.c:6$/,
    );
  });

  it('one instruction at two addresses', async () => {
    const ran = await standingOff(
      `
long counts[2];
void *worker(void *index) { SIDE_A("addq $1, %0", : "+m"(counts[(long)index])); return NULL; }
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return counts[0] * 2 + counts[1];
}`,
      { labels: ['side_a', 'side_a'], stores: 'ab', limits: { attempts: 2 } },
    );
    expect(missed(ran).cause).toBe('stalled');
  });

  it('two reads', async () => {
    const reads = GLOBAL.replace('movl $7, %0", : "=m"(shared)', 'cmpl $7, %0", : : "m"(shared)');
    const ran = await standingOff(reads, { stores: '', limits: { attempts: 1 } });
    missed(ran);
  });

  it('two atomic accesses', async () => {
    const ran = await standingOff(
      `
long count;
void *worker(void *none) { SIDE_A("lock addq $1, %0", : "+m"(count)); return none; }
int main(void) {
  pthread_t one = start(worker), two = start(worker);
  pthread_join(one, NULL); pthread_join(two, NULL);
  return 0;
}`,
      { labels: ['side_a', 'side_a'], stores: 'ab', limits: { attempts: 1 } },
    );
    missed(ran);
  });
});
