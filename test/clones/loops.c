/*
 * Loops of all shapes, for test/hoisted-loops.test.ts: those that are told as a whole, and those that only look
 * like it. Each is run with some numbers of iterations, each time in an epoch of its own: `separate` ends it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LOOP static __attribute__((noipa)) long
#define SIZE 600

/* All that the loops touch, so that it is easy to tell. */
static struct {
  char before[256];
  long longs[SIZE], others[SIZE];
  double left[SIZE], right[SIZE];
  int ints[SIZE], copies[SIZE];
  short shorts[SIZE];
  unsigned char bytes[SIZE];
  struct pair {
    long key;
    int value;
  } pairs[SIZE];
  long matrix[20][20];
  long sum;
  int flag, limit;
  char after[256];
} arena __attribute__((aligned(65536)));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

LOOP fill(long n) {
  for (long i = 0; i < n; i++)
    arena.longs[i] = i;
  return n;
}

LOOP add_up(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += arena.longs[i];
  return sum;
}

LOOP multiply(long n, long stride) {
  double sum = 0;
  const double *right = arena.right;
  for (long i = 0; i < n; i++, right += stride)
    sum += arena.left[i] * *right;
  return (long)sum;
}

LOOP in_place(long n) {
  for (long i = 0; i < n; i++)
    arena.ints[i] += 3;
  return n;
}

LOOP read_then_write(long n) {
  for (long i = 0; i < n; i++) {
    int old = arena.ints[i];
    arena.copies[i] = old;
    arena.ints[i] = old * 3 + 1;
  }
  return n;
}

LOOP overlapping(long n) {
  volatile long *at = arena.longs;
  for (long i = 0; i < n; i++)
    at[i + 1] = at[i];
  return n;
}

LOOP overlapping_downwards(long n) {
  volatile long *at = arena.longs;
  for (long i = n; i > 0; i--)
    at[i] = at[i - 1] + 1;
  return n;
}

LOOP downwards(long n) {
  long sum = 0;
  for (const long *at = arena.others + n; at-- > arena.others;)
    sum ^= *at;
  return sum;
}

LOOP by_step(long n, long step) {
  long sum = 0;
  for (long i = 0; i < n; i += step)
    sum += arena.bytes[i];
  return sum;
}

LOOP by_step_downwards(long n, long step) {
  for (long i = n - 1; i >= 0; i -= step)
    arena.bytes[i] = 1;
  return n;
}

LOOP find(long n, int wanted) {
  for (long i = 0; i < n; i++)
    if (arena.shorts[i] == wanted)
      return i;
  return -1;
}

LOOP find_twice(long n, int one, int other) {
  for (long i = 0; i < n; i++) {
    if (arena.shorts[i] == one)
      break;
    arena.copies[i] = 1;
    if (arena.bytes[i] == other)
      return i;
    arena.ints[i] = 2;
  }
  return -1;
}

LOOP length(void) {
  const unsigned char *end = arena.bytes + 1;
  while (*end)
    end++;
  return end - arena.bytes;
}

LOOP skip_some(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    if (arena.shorts[i] & 1)
      continue;
    sum += arena.ints[i];
  }
  return sum;
}

LOOP short_index(unsigned n, unsigned from) {
  long sum = 0;
  for (unsigned i = 0; i != n; i++)
    sum += arena.bytes[(from + i) % SIZE];
  return sum;
}

LOOP int_index(int n) {
  for (int i = 0; i < n; i++)
    arena.pairs[i].value = (int)arena.pairs[i].key;
  return n;
}

LOOP byte_index(long n) {
  long sum = 0;
  unsigned char at = 250;
  for (long i = 0; i < n; i++)
    sum += arena.bytes[at++];
  return sum;
}

LOOP indirect(long n) {
  for (long i = 0; i < n; i++)
    arena.longs[arena.bytes[i]]++;
  return n;
}

LOOP nested(long n) {
  for (long i = 0; i < n && i < 20; i++)
    for (long j = 0; j < n && j < 20; j++)
      arena.matrix[i][j] += arena.matrix[j][i];
  return n;
}

LOOP triangle(long n) {
  for (long i = 0; i < 20; i++)
    for (long j = 0; j < i; j++)
      arena.matrix[i][j] = n;
  return n;
}

LOOP same_place(long n) {
  volatile long *sum = &arena.sum;
  for (long i = 0; i < n; i++)
    *sum += arena.others[i];
  return n;
}

LOOP told_to_stop(long n) {
  long i = 0;
  for (; i < n && !*(volatile int *)&arena.flag; i++)
    arena.longs[i] = 1;
  return i;
}

LOOP limit_in_memory(void) {
  long i = 0;
  for (; i < *(volatile int *)&arena.limit; i++)
    arena.longs[i] = 1;
  return i;
}

LOOP after_increment(long n) {
  const int *at = arena.ints;
  long sum = 0;
  for (const int *end = at + n; at != end;)
    sum += *++at;
  return sum;
}

LOOP two_pointers(long n) {
  long *low = arena.longs, *high = arena.longs + n;
  for (; low < high; low++, high--) {
    long kept = *low;
    *low = *high;
    *high = kept;
  }
  return n;
}

LOOP vectors(long n) {
  for (long i = 0; i < n; i++)
    arena.copies[i] = arena.ints[i] * 5;
  return n;
}

LOOP blocks(long n) {
  for (long i = 0; i < n; i++)
    memcpy(&arena.pairs[i], &arena.longs[i], sizeof arena.pairs[i]);
  return n;
}

/* What a compiler would not write, or not for certain: f(where, n). What each touches does not overlap. */
#define ODD(name, text)                                                                            \
  long name(void *at, long n);                                                                     \
  __asm__(".text\n.type " #name ",@function\n" #name ":\n.cfi_startproc\n xor %eax,%eax\n" text \
          "ret\n.cfi_endproc\n.size " #name ",.-" #name "\n")

/* Counted by an instruction of its own. */
ODD(by_loop, "lea 1(%rsi),%rcx\n"
             "1: movb $1,(%rdi)\n inc %rdi\n loop 1b\n");
/* Increments before, between and after accesses; by a register, too. */
ODD(much_moved, "mov %rdi,%rax\n xor %edx,%edx\n mov $24,%r8d\n lea 1(%rsi),%rcx\n"
                "1: lea 8(%rax),%rax\n mov (%rax),%r9\n mov %r9,4792(%rax,%rdx,1)\n"
                "add $8,%rax\n mov 9600(%rax),%r10b\n sub $16,%rax\n inc %rdx\n incb 14400(%rax,%rdx,8)\n"
                "add $8,%rax\n dec %rcx\n jnz 1b\n xor %eax,%eax\n");
ODD(after_register, "mov $24,%r8d\n lea 1(%rsi),%rcx\n"
                    "1: mov (%rdi),%al\n add %r8,%rdi\n mov 14400(%rdi),%ah\n dec %rcx\n jnz 1b\n");
/* The step is negative, or nothing at all; what moves is multiplied. */
ODD(by_negative, "mov $-3,%r8\n lea 1(%rsi),%rcx\n mov %rcx,%rdx\n imul $3,%rdx\n"
                 "1: movb $1,(%rdi,%rdx,2)\n add %r8,%rdx\n dec %rcx\n jnz 1b\n");
ODD(by_nothing, "xor %r8d,%r8d\n lea 1(%rsi),%rcx\n"
                "1: movb $1,(%rdi)\n add %r8,%rdi\n dec %rcx\n jnz 1b\n");
/* Left before anything was touched, and jumped back to without a condition. */
ODD(left_at_once, "mov %rsi,%rcx\n mov $1,%r8d\n"
                  "1: jrcxz 2f\n mov %r8,(%rdi)\n lea -1(%rcx),%rcx\n sub $-8,%rdi\n jmp 1b\n 2:\n");
ODD(entered_inside, "lea 1(%rsi),%rcx\n jmp 2f\n"
                    "1: movw $1,(%rdi)\n"
                    "2: movw $2,4800(%rdi)\n add $2,%rdi\n dec %rcx\n jnz 1b\n");
/* Both parts of an address move; the carry goes from one iteration to the next, and out. */
ODD(with_carry, "xor %edx,%edx\n lea 1(%rsi),%rcx\n xor %eax,%eax\n xor %r9d,%r9d\n"
                "1: mov (%rdi,%rdx,2),%r9w\n adc %r9w,%ax\n lea 8(%rdi),%rdi\n lea -1(%rdx),%rdx\n"
                "lea -1(%rcx),%rcx\n jrcxz 2f\n jmp 1b\n 2: setb %al\n movzbl %al,%eax\n");
/* All registers are needed on the way out. */
ODD(with_all_registers,
    "push %rbx\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset rbx,0\n"
    "mov $2,%eax\n mov $3,%ebx\n mov $4,%edx\n mov $5,%r8d\n mov $6,%r9d\n mov $7,%r10d\n"
    "mov $8,%r11d\n lea 1(%rsi),%rcx\n"
    "1: mov %cl,(%rdi,%rcx,2)\n mov %cl,4800(%rdi)\n inc %rdi\n sub $1,%rcx\n jnz 1b\n"
    "lea (%rax,%rbx,2),%rax\n lea (%rax,%rdx,4),%rax\n lea (%rax,%r8,8),%rax\n"
    "imul %r9,%rax\n add %r10,%rax\n imul %r11,%rax\n add %rsi,%rax\n"
    "pop %rbx\n .cfi_adjust_cfa_offset -8\n .cfi_restore rbx\n");
/* Another function is part of the loop. */
ODD(split, "lea 1(%rsi),%rcx\n"
           "1: mov %cl,(%rdi)\n test $3,%cl\n jz split_rest\n"
           ".Lback: mov %cl,4800(%rdi)\n inc %rdi\n dec %rcx\n jnz 1b\n");
ODD(split_rest, "movb $1,9600(%rdi)\n jmp .Lback\n");
/* The stack moves, too. */
ODD(pushing, "lea 1(%rsi),%rcx\n mov %rsp,%rdx\n"
             "1: push %rcx\n .cfi_adjust_cfa_offset 8\n mov %cl,(%rdi)\n inc %rdi\n dec %rcx\n jnz 1b\n"
             "mov %rdx,%rsp\n .cfi_def_cfa_offset 8\n");

static long separate(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}

static void *work(void *nothing) {
  static const long counts[] = {0, 1, 2, 3, 7, 8, 9, 40, 500};
  long sum = 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    long n = counts[i];
#define RUN(call) (separate(), sum = sum * 31 + (call))
    RUN(fill(n));
    RUN(add_up(n));
    RUN(multiply(n, 1));
    RUN(multiply(n / 30, 30));
    RUN(multiply(n, 0));
    RUN(in_place(n));
    RUN(read_then_write(n));
    RUN(overlapping(n));
    RUN(overlapping_downwards(n));
    RUN(downwards(n));
    RUN(by_step(n, 1));
    RUN(by_step(n, 17));
    RUN(by_step_downwards(n, 5));
    arena.shorts[n / 2] = 99;
    RUN(find(n, 99));
    RUN(find(n, 98));
    RUN(find_twice(n, 99, 1));
    RUN(find_twice(n, 1, 77));
    arena.shorts[n / 2] = (short)n;
    RUN(length());
    RUN(skip_some(n));
    RUN(short_index((unsigned)n, 0xffffff00u));
    RUN(int_index((int)n));
    RUN(byte_index(n));
    RUN(indirect(n));
    RUN(nested(n));
    RUN(triangle(n));
    RUN(same_place(n));
    RUN(told_to_stop(n));
    arena.limit = (int)n;
    RUN(limit_in_memory());
    RUN(after_increment(n));
    RUN(two_pointers(n));
    RUN(vectors(n));
    RUN(blocks(n));
    long (*const odd[])(void *, long) = {
        by_loop,    much_moved,   after_register, by_negative,        by_nothing,
        left_at_once, entered_inside, with_carry, with_all_registers, pushing,
        split,
    };
    for (size_t which = 0; which < sizeof odd / sizeof *odd; which++)
      RUN(odd[which](&arena.longs, n));
    separate();
    for (int again = 0; again < 3; again++)
      sum += fill(n) + downwards(n / 2) + multiply(n, 1);
    separate();
  }
  printf("sum %ld\n", sum);
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  printf("arena 0x%lx 0x%lx\n", (unsigned long)&arena, (unsigned long)sizeof arena);
  return 0;
}
