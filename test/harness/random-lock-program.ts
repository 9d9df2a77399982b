/**
 * Makes C programs that keep to their locks, at random: what their threads do under a lock comes to the same in
 * whatever order they do it, so each prints the same every time. Steps are what compilers and people may write in a
 * critical section; sections are begun and ended in all the ways that there are.
 *
 *   randomLockProgram(7)      // the source of program 7
 *
 * Each lock guards a struct of its own, `g[lock]`. A section is a function that runs some steps on it.
 */

/** The same numbers for the same seed. */
class Dice {
  #state: number;
  /** Rather than to have a handler of signals. */
  readonly jumps: boolean;

  constructor(seed: number) {
    this.jumps = seed % 2 === 1;
    this.#state = (seed * 2_654_435_761 + 1) >>> 0;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

/** On `S`, the struct that the section's lock guards, as a global one or by a pointer; `n` differs by round. */
const STEPS: readonly ((dice: Dice) => string)[] = [
  (dice) => `S.c += (char)(n + ${dice.below(9)});`,
  (dice) => `S.s += (short)(n * ${1 + dice.below(5)});`,
  (dice) => `S.i += (int)n; S.i ^= 0; S.u -= ${dice.below(1000)}u;`,
  (dice) => `S.l += n << ${dice.below(20)};`,
  () => 'S.d += 0.5; S.f += 1; S.x += 0.25L;',
  () => 'S.wide += (unsigned __int128)n << 60;',
  (dice) => `S.three++; S.seven += ${dice.below(100)}; S.rest += (unsigned)n;`,
  () => 'S.odd.a++; S.odd.b += n; S.odd.c += 3;',
  (dice) => `for (int k = 0; k < ${2 + dice.below(40)}; k++) S.table[k] += k ^ (int)n;`,
  (dice) => `for (int k = ${dice.below(30)}; k < 64; k += 3) S.bytes[k] += (unsigned char)k;`,
  () => 'for (int k = 0; k < 16; k++) S.numbers[k] = S.numbers[k] + (float)(k & 3);',
  () =>
    '{ struct item copy = S.item; copy.id += n & 7; copy.values[n % 9]++; S.item = copy; S.l += S.item.values[n % 9] > 0; }',
  () =>
    '{ struct item copy; memcpy(&copy, &S.item, sizeof copy); copy.id += 5; memmove(&S.item, &copy, sizeof copy); }',
  () => 'memset(S.text, 97 + (int)(n % 3) * 0, 20); S.l += (long)strlen(S.text);',
  (dice) =>
    `{ long local[9] = {0}; for (int k = 0; k < 9; k++) local[(k + n) % 9] += k; S.l += local[${dice.below(9)}] * 0 + local[0] + local[1] + local[2] + local[3] + local[4] + local[5] + local[6] + local[7] + local[8]; }`,
  (dice) =>
    `{ char *room = alloca(${8 + dice.below(200)} + (size_t)(n & 15)); room[7] = (char)n; through(room + 7, &S.l); }`,
  () =>
    '{ int size = (int)(n & 7) + 3; int array[size]; for (int k = 0; k < size; k++) array[k] = 2; for (int k = 0; k < size; k++) S.l += array[k]; }',
  () =>
    'switch (n % 9) { case 0: S.l += 1; break; case 1: S.i += 2; break; case 2: S.s += 3; break; case 3: S.c++; break; case 4: S.u += 9; break; case 5: S.l ^= 0; S.l += 8; break; case 6: S.table[3]++; break; default: S.table[4]++; }',
  () => 'S.l += called(&S, n);',
  () => 'S.l += turns[n & 1](n);',
  (dice) => `S.l += deep(&S, ${1 + dice.below(5)});`,
  () =>
    '{ struct node *made = malloc(sizeof *made); made->value = n; made->next = S.list; S.list = made; if (++S.length > 5) while (S.list) { struct node *gone = S.list; S.l += gone->value; S.list = gone->next; free(gone); S.length--; } }',
  () =>
    '__atomic_fetch_add(&S.counted, 1, __ATOMIC_SEQ_CST); S.l += __atomic_load_n(&S.counted, __ATOMIC_RELAXED) * 0;',
  () =>
    '{ int expected = S.i; if (__atomic_compare_exchange_n(&S.i, &expected, expected + 4, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) S.l++; }',
  () =>
    '{ long *to = S.moved, *from = S.numbers8; long many = 6; from[n % 6] += n; __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(many) : : "memory"); S.l += S.moved[n % 6] == S.numbers8[n % 6]; }',
  () =>
    '{ unsigned char carry; __asm__ volatile("addq $-1, %0; setc %1" : "+m"(S.l), "=qm"(carry) : : "cc"); S.l += 1 + (carry > 1); }',
  () =>
    '{ __m128i one = _mm_loadu_si128((__m128i *)&S.table[1]); one = _mm_add_epi32(one, _mm_set1_epi32(2)); _mm_storeu_si128((__m128i *)&S.table[1], one); }',
  () => '{ char line[32]; snprintf(line, sizeof line, "%ld", n % 10); S.l += line[0]; }',
  () => 'own_count++; *own_address() += 1; S.l += own_count > 0;',
  (dice) => `if (n % ${2 + dice.below(5)} == 0) { S.l += 3; S.bytes[n & 63]++; } else S.u += 2;`,
  () => '{ long before = S.i; S.i = (int)before + 1; if (S.i != before + 1) abort(); }',
  () => 'qsort(S.item.values, 9, sizeof(int), by_size);',
  () => '{ volatile long *p = &S.l; *p += 1; *p += 1; *p -= 2; }',
  () =>
    'S.bits |= 1ull << (n & 63); __asm__ volatile("btsq %1, %0" : "+m"(S.bits) : "r"(n & 63) : "cc");',
];

/** They may come once in a while. */
const RARE_STEPS: readonly string[] = [
  'if (n % 64 == 0) { pid_t child = fork(); if (child == 0) _exit(S.i == *(volatile int *)&S.i ? 0 : 1); int status = 1; waitpid(child, &status, 0); S.l += status == 0; }',
  'if (n % 32 == 0) { void *library = dlopen("libm.so.6", RTLD_NOW); S.l += library != NULL; dlclose(library); }',
];
/** One or the other: where a handler may jump out of a section, nothing is isolated. */
const RAISES = 'if (n % 16 == 0) raise(SIGUSR1);';
const JUMPS = '{ jmp_buf back; if (setjmp(back) == 0) { S.l++; longjmp(back, 1); } else S.u++; }';

type Lock = 'mutex' | 'recursive' | 'checking' | 'spin' | 'rwlock';
const LOCKS: readonly Lock[] = ['mutex', 'recursive', 'checking', 'spin', 'rwlock', 'mutex'];

interface Ways {
  readonly take: readonly string[];
  readonly release: readonly string[];
}

const MUTEX: Ways = {
  take: [
    'pthread_mutex_lock(&LOCK);',
    'while (pthread_mutex_trylock(&LOCK) != 0) sched_yield();',
    'if (pthread_mutex_timedlock(&LOCK, &far) != 0) abort();',
    'take(&LOCK);',
    'if (!try_take(&LOCK)) pthread_mutex_lock(&LOCK);',
  ],
  release: ['pthread_mutex_unlock(&LOCK);', 'release(&LOCK);', 'release_last(&LOCK, &S.l);'],
};

const WAYS: Readonly<Record<Lock, Ways>> = {
  mutex: MUTEX,
  recursive: MUTEX,
  checking: MUTEX,
  spin: {
    take: ['pthread_spin_lock(&LOCK);', 'while (pthread_spin_trylock(&LOCK)) sched_yield();'],
    release: ['pthread_spin_unlock(&LOCK);'],
  },
  rwlock: {
    take: [
      'pthread_rwlock_wrlock(&LOCK);',
      'while (pthread_rwlock_trywrlock(&LOCK)) sched_yield();',
    ],
    release: ['pthread_rwlock_unlock(&LOCK);'],
  },
};

const nameOf = (lock: number): string => `${LOCKS[lock]}_${lock}`;
const filled = (text: string, lock: number, isByPointer: boolean): string =>
  text
    .replaceAll('&LOCK', `&${nameOf(lock)}`)
    .replaceAll(/(?<!"\+)\bS\b/g, isByPointer ? `(*p${lock})` : `g[${lock}]`);

function section(dice: Dice, number: number): string {
  const lock = dice.below(LOCKS.length);
  const inner = lock + 1 < LOCKS.length && dice.below(3) === 0 ? lock + 1 : undefined;
  const isByPointer = dice.below(2) === 0;
  const steps = (of: number, most: number): string =>
    Array.from({ length: 1 + dice.below(most) }, () => {
      const isRare = dice.below(40) === 0 && LOCKS[of] !== 'spin';
      return filled(
        isRare ? dice.of([...RARE_STEPS, dice.jumps ? JUMPS : RAISES]) : dice.of(STEPS)(dice),
        of,
        isByPointer,
      );
    }).join('\n  ');
  const take = (of: number): string => filled(dice.of(WAYS[LOCKS[of]!].take), of, false);
  const release = (of: number): string => filled(dice.of(WAYS[LOCKS[of]!].release), of, false);
  const again = LOCKS[lock] === 'recursive' && dice.below(2) === 0;
  const isOverlapped = dice.below(3) === 0;
  const parts = [
    take(lock),
    steps(lock, 4),
    ...(again ? [take(lock), steps(lock, 2), release(lock)] : []),
    ...(dice.below(4) === 0 ? [`if (n % 5 == 3) { ${release(lock)} return; }`] : []),
    ...(dice.below(5) === 0 ? [`if (n % 7 == 2) goto out;`] : []),
    ...(inner === undefined ? [] : [take(inner), steps(inner, 3), steps(lock, 2)]),
    ...(inner !== undefined && !isOverlapped ? [release(inner), steps(lock, 2)] : []),
    ...(inner !== undefined && isOverlapped
      ? [release(lock), steps(inner, 2), release(inner)]
      : []),
  ];
  const hasOut = parts.some((part) => part.includes('goto out'));
  const isOver = inner !== undefined && isOverlapped;
  const end = isOver
    ? ['return;', ...(hasOut ? ['out:', release(lock)] : [])]
    : [...(hasOut ? ['out:'] : []), release(lock)];
  const pointers = [lock, ...(inner === undefined ? [] : [inner])]
    .map((of) => `struct guarded *p${of} = find(${of}); (void)p${of};`)
    .join(' ');
  const body = [pointers, ...parts, ...end].map((line) => `  ${line}`).join('\n');
  return `static void section_${number}(long n) {\n${body}\n}\n`;
}

const SECTIONS = 12;

export function randomLockProgram(seed: number): string {
  const dice = new Dice(seed);
  const sections = Array.from({ length: SECTIONS }, (_, number) => section(dice, number));
  const calls = Array.from({ length: SECTIONS }, (_, number) => `section_${number}`).join(', ');
  const locks = LOCKS.map((lock, number) => `static ${TYPES[lock]} ${nameOf(number)};`).join('\n');
  const makes = LOCKS.map((lock, number) =>
    MAKES[lock].replaceAll('LOCK', `&${nameOf(number)}`),
  ).join('\n  ');
  const prepares = dice.jumps ? makes : `signal(SIGUSR1, count_signal);\n  ${makes}`;
  return [BEFORE, locks, ...sections, after(calls, prepares)].join('\n');
}

const TYPES: Readonly<Record<Lock, string>> = {
  mutex: 'pthread_mutex_t',
  recursive: 'pthread_mutex_t',
  checking: 'pthread_mutex_t',
  spin: 'pthread_spinlock_t',
  rwlock: 'pthread_rwlock_t',
};
const MAKES: Readonly<Record<Lock, string>> = {
  mutex: 'pthread_mutex_init(LOCK, NULL);',
  recursive: 'make_mutex(LOCK, PTHREAD_MUTEX_RECURSIVE);',
  checking: 'make_mutex(LOCK, PTHREAD_MUTEX_ERRORCHECK);',
  spin: 'pthread_spin_init(LOCK, 0);',
  rwlock: 'pthread_rwlock_init(LOCK, NULL);',
};

const BEFORE = `#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <emmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct node { long value; struct node *next; };
struct item { long id; char name[20]; int values[9]; };
struct guarded {
  char c; short s; int i; unsigned u; long l; double d; float f; long double x;
  unsigned __int128 wide;
  unsigned three : 3, seven : 7, rest : 22;
  struct __attribute__((packed)) { char a; long b; short c; } odd;
  int table[64]; unsigned char bytes[64]; float numbers[16]; char text[32];
  struct item item; struct node *list; int length; int counted;
  long moved[6], numbers8[6]; unsigned long long bits;
};
static struct guarded g[6];
static const struct timespec far = {.tv_sec = 1l << 40};
static __thread long own_count;
static volatile sig_atomic_t signals;

static __attribute__((noinline)) long *own_address(void) { return &own_count; }
static __attribute__((noinline)) struct guarded *find(int which) { return &g[which]; }
static __attribute__((noinline)) void through(char *at, long *sum) { *sum += *at - *at + 1; }
static __attribute__((noinline)) long called(struct guarded *in, long n) {
  in->table[n % 64]++;
  in->odd.b += n;
  return n & 3;
}
static __attribute__((noinline)) long deep(struct guarded *in, int depth) {
  in->u += (unsigned)depth;
  return depth == 0 ? 1 : deep(in, depth - 1) + 1;
}
static long twice(long n) { return 2 * n; }
static long thrice(long n) { return 3 * n; }
static long (*turns[])(long) = {twice, thrice};
static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static __attribute__((noinline)) void take(pthread_mutex_t *lock) { pthread_mutex_lock(lock); }
static __attribute__((noinline)) int try_take(pthread_mutex_t *lock) { return pthread_mutex_trylock(lock) == 0; }
static __attribute__((noinline)) void release(pthread_mutex_t *lock) { pthread_mutex_unlock(lock); }
static __attribute__((noinline)) void release_last(pthread_mutex_t *lock, long *last) {
  *last += 1;
  pthread_mutex_unlock(lock);
}
static void make_mutex(pthread_mutex_t *lock, int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutex_init(lock, &attributes);
}
static void count_signal(int number) { (void)number; signals = 1; }
`;

/** Lists hold whatever was put there last; by how much is the same. */
const after = (sections: string, prepares: string): string => `
static void (*const sections[])(long) = {${sections}};
enum { SECTIONS = sizeof sections / sizeof *sections, THREADS = 4 };
static long rounds = 40;

static void *work(void *argument) {
  long id = (long)argument;
  for (long n = 0; n < rounds; n++)
    for (int k = 0; k < SECTIONS; k++)
      sections[(k * (2 * id + 1) + id) % SECTIONS](n);
  return NULL;
}

int main(int count, char **arguments) {
  if (count > 1)
    rounds = atol(arguments[1]);
  ${prepares}
  pthread_t threads[THREADS];
  for (long id = 0; id < THREADS; id++)
    pthread_create(&threads[id], NULL, work, (void *)id);
  for (int id = 0; id < THREADS; id++)
    pthread_join(threads[id], NULL);
  for (int k = 0; k < 6; k++) {
    struct guarded *in = &g[k];
    for (struct node *one = in->list; one; one = one->next)
      in->l += one->value;
    long sums[6] = {0};
    for (int i = 0; i < 64; i++)
      sums[0] += in->table[i] * (long)(i + 1), sums[1] += in->bytes[i] * (long)(i + 1);
    for (int i = 0; i < 16; i++)
      sums[2] += (long)in->numbers[i] * (i + 1);
    for (int i = 0; i < 9; i++)
      sums[3] += in->item.values[i];
    for (int i = 0; i < 6; i++)
      sums[4] += in->numbers8[i] * (i + 1);
    printf("%d: %d %d %d %u %ld %g %g %Lg %lx %lx %u %u %u %d %ld %d %ld %ld %ld %ld %ld %ld %.20s %d %llx\\n", k, in->c,
           in->s, in->i, in->u, in->l, in->d, in->f, in->x, (long)(in->wide >> 64), (long)in->wide,
           in->three, in->seven, in->rest, in->odd.a, in->odd.b, in->odd.c, sums[0], sums[1], sums[2],
           sums[3], sums[4], in->item.id, in->text, in->counted, in->bits);
  }
  return 0;
}
`;
