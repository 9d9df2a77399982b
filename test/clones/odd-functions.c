/* Code that is hard to clone; prints what it should do, whatever runs it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

void just_return(void);
int first_byte(const unsigned char *);
int sum_down(int);
int from_zero(int);
int from_value(int);
int where(void);
int only_a_mark(void);
int short_address(unsigned long base, unsigned long index);
long halves(unsigned long);
extern long halved;

static int table[16];

/* The table's address minus 36000 stands in the code. */
static __attribute__((noipa)) int biased(long place) { return table[place - 9000]; }

/* Labels as values: computed jumps that no table of distances tells of. */
static __attribute__((noipa)) long interpret(const unsigned char *program) {
  static const void *const labels[] = {&&stop, &&add, &&twice, &&loop};
  long value = 1, rounds = 0;
  goto *labels[*program++];
add:
  value += *program++;
  table[0]++;
  goto *labels[*program++];
twice:
  value *= 2;
  table[1]++;
  goto *labels[*program++];
loop:
  if (++rounds < 5)
    program -= 4;
  goto *labels[*program++];
stop:
  return value;
}

static __attribute__((noipa)) void *find_next(const char *name) { return dlsym(RTLD_NEXT, name); }

static __attribute__((noipa)) int is_next(const char *name, void *expected) {
  void *found = dlsym(RTLD_NEXT, name);
  return found != NULL && found == expected && find_next(name) == expected;
}

int main(void) {
  void (*volatile nothing)(void) = just_return;
  int (*volatile first)(const unsigned char *) = first_byte;
  int (*volatile second_entry)(int) = from_value;
  int (*volatile sum)(int) = sum_down;
  nothing();
  printf("first byte %d\n", first((const unsigned char *)"a"));
  printf("sum %d %d\n", sum_down(10), sum(4));
  printf("entries %d %d %d\n", from_zero(5), from_value(5), second_entry(6));
  printf("where %x\n", (unsigned)where());
  printf("mark %d\n", only_a_mark());
  table[3] = 33;
  printf("biased %d\n", biased(9003));
  static const unsigned char program[] = {1, 5, 2, 3, 0};
  long value = interpret(program);
  printf("interpreted %ld, %d, %d\n", value, table[0], table[1]);
  int *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  low[2] = 77;
  unsigned long base = (unsigned long)low | 0xdeadbeef00000000;
  printf("short %d\n", short_address(base, 0xffffffff00000002));
  long even = halves(84), odd = halves(85);
  printf("halves %ld %ld, %ld\n", even, odd, halved);
  printf("next %d\n", is_next("qsort", dlsym(RTLD_DEFAULT, "qsort")));
  return 0;
}
