/** `deadheat watch`: what it says of either side, and which races are one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Race, Report } from '../src/report/model.ts';
import { scratchFolder } from './harness/scratch.ts';
import { compileWatched, watchUntil } from './harness/watch-examples.ts';

/** Two threads, `one` and `other`, each of which calls its function again and again for so many seconds. */
const PAIR = `
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static time_t end;
static void *run_one(void *none) { while (time(NULL) < end) one(); return none; }
static void *run_other(void *none) { while (time(NULL) < end) other(); return none; }
int main(int argc, char **argv) {
  end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, run_one, NULL);
  pthread_create(&threads[1], NULL, run_other, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
`;

/** A folder with ./program, of a file that has `one` and `other`. */
function withPair(text: string, name: 'program.c' | 'program.cc' = 'program.c'): string {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, name), `#include <string.h>\n${text}${PAIR}`);
  compileWatched(join(cwd, name), join(cwd, 'program'));
  return cwd;
}

it('tells what each side touches, and not of both what one does', () => {
  const cwd = withPair(`
static union { unsigned char bytes[16]; } word;
__attribute__((noinline)) void one(void) { (void)*(volatile unsigned long *)&word.bytes[4]; }
__attribute__((noinline)) void other(void) { (*(volatile unsigned char *)&word.bytes[10])++; }
`);
  const isWhole = ({ races }: Report): boolean =>
    races.some(({ accesses }) => accesses.every(({ what }) => /^\d bytes? at/.test(what)));
  const { report } = watchUntil(cwd, './program', isWhole);
  const [race] = report.races;
  const sides = race!.accesses.map(({ what }) => /^(\d) bytes? at (0x[0-9a-f]+)/.exec(what)!);
  const [wide, narrow] = sides.sort((a, b) => Number(b[1]) - Number(a[1]));
  expect([wide![1], narrow![1]]).toEqual(['8', '1']);
  expect(BigInt(narrow![2]!) - BigInt(wide![2]!)).toBe(6n);
  expect(race!.object.name).toBe('word.bytes[10]');
  for (const { what, value, valueAfter } of race!.accesses) {
    const digits = what.startsWith('1 byte') ? 2 : 16;
    expect([value, valueAfter].every((one) => one === undefined || one.length === digits)).toBe(
      true,
    );
  }
  expect(race!.evidence).toMatch(/8 bytes at word.bytes\[4\]/);
  expect(race!.evidence).toMatch(/1 byte at word.bytes\[10\]/);
});

/** One thread asks for the length of a name of three letters, the other stores to one byte of the same struct. */
const nameAnd = (stored: string): string => `
static struct { char name[8]; int hits; char more[52]; } s __attribute__((aligned(64))) = {"abc", 0, ""};
static char *volatile name = s.name;
static volatile unsigned long length;
__attribute__((noinline)) void one(void) { length = strlen(name); }
__attribute__((noinline)) void other(void) { *(volatile char *)&s.${stored} += 2; }
`;

it.each([
  ['hits', true],
  ['name[1]', false],
])('marks what strlen reads behind its string: %s, %s', (stored, isBehind) => {
  const cwd = withPair(nameAnd(stored));
  // Only the store is held, since the other side is in a library.
  const { report } = watchUntil(cwd, './program', ({ races }) =>
    races.some(({ object }) => object.name === `s.${stored}`),
  );
  const race = report.races.find(({ object }) => object.name === `s.${stored}`);
  if (isBehind) expect(race?.benign).toMatch(/a string function reads many bytes at once/);
  else expect(race?.benign).toBeUndefined();
});

/** On the heap, where no type is known. */
const onHeap = (type: string): string => `
#include <atomic>
struct Queue { ${type} head; };
static Queue *volatile queue = new Queue();
static volatile unsigned seen;
void one(void) { Queue *mine = queue; for (int i = 0; i < 99; i++) mine->head = seen + i; }
void other(void) { Queue *mine = queue; for (int i = 0; i < 99; i++) seen = mine->head; }
`;

it.each([
  ['std::atomic<unsigned>', true],
  ['volatile unsigned', false],
])('marks atomic members of C++ wherever they are: %s', (type, isAtomic) => {
  const cwd = withPair(onHeap(type), 'program.cc');
  const onHeapIn = ({ races }: Report): Race[] =>
    races.filter(({ object, accesses }) => object.type === 'heap' && accesses[1]!.thread !== 0);
  const isMarked = ({ benign }: Race): boolean => benign === 'both sides are atomic';
  const { report } = watchUntil(cwd, './program', (one) =>
    onHeapIn(one).some((race) => !isAtomic || isMarked(race)),
  );
  expect(onHeapIn(report).length).toBeGreaterThan(0);
  expect(onHeapIn(report).some(isMarked)).toBe(isAtomic);
  // What was written again may have been the same.
  if (isAtomic) expect(onHeapIn(report).every(({ benign }) => benign !== undefined)).toBe(true);
});

it('takes races apart that are in the same inlined functions', () => {
  const cwd = withPair(
    `
static int first, second, third;
static inline void put(int *to, int what) { *(volatile int *)to = what; }
static int turn;
void one(void) {
  put(&first, 1);
  put(&second, 1);
  put(&third, ++turn);
}
void other(void) {
  put(&first, 2);
  put(&second, 2);
}
`,
    'program.cc',
  );
  const namesIn = ({ races }: Report): string[] =>
    [...new Set(races.map(({ object }) => object.name))].sort();
  const { report } = watchUntil(cwd, './program', (one) =>
    ['first', 'second'].every((name) => namesIn(one).includes(name)),
  );
  expect(namesIn(report)).toEqual(expect.arrayContaining(['first', 'second']));
  expect(namesIn(report)).not.toContain('third');
  // However they were caught, each is told once.
  for (const name of ['first', 'second']) {
    const told = report.races.filter(({ object }) => object.name === name);
    expect(told.filter(({ accesses }) => accesses[1]!.thread !== 0)).toHaveLength(1);
  }
});

it.each([
  ['', true],
  ['int sum = thing->users; if (sum > 1) thing->users -= 1;', false],
])(
  'knows statistics without optimisation, but not what is taken from again: %s',
  (taken, isMarked) => {
    const cwd = withPair(`
#pragma GCC optimize("O0")
struct thing { int users; };
static struct thing kept = {9}, *volatile thing = &kept;
static volatile int turn;
void add(void) { thing->users++; }
void take(void) { ${taken} }
void one(void) { add(); turn = 1; }
void other(void) { add(); take(); }
`);
    const isAdding = ({ accesses }: Race): boolean =>
      accesses.every(({ site }) => site.function === 'add');
    const isTaking = ({ accesses }: Race): boolean =>
      accesses.some(({ site, op }) => site.function === 'take' && op !== 'load');
    const { report } = watchUntil(
      cwd,
      './program',
      ({ races }) => races.some(isAdding) && (isMarked || races.some(isTaking)),
    );
    const marked = report.races.filter(isAdding).map(({ benign }) => benign !== undefined);
    expect(marked).toEqual([isMarked]);
  },
);
