/*
 * Calls the functions of test/harness/random-functions.ts, again and again, and prints what memory is like
 * after each. An argument: how many rounds.
 */
#include <stdio.h>
#include <stdlib.h>

extern void (*functions[])(void);
extern int function_count;
extern unsigned char shared[128];
/* Fills all registers from the argument, and calls the function. */
void call_with(void (*function)(void), unsigned char *memory, unsigned long argument);

static unsigned char memory[4096 + 1024] __attribute__((aligned(16)));

static unsigned long digest(const unsigned char *bytes, size_t count, unsigned long hash) {
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (size_t i = 0; i < sizeof memory; i++)
    memory[i] = (unsigned char)(i * 37 >> 2);
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < function_count; i++) {
      call_with(functions[i], memory, 0x9e3779b97f4a7c15 * (unsigned)(round + i + 1));
      printf("%d %d %lx\n", round, i, digest(shared, sizeof shared, digest(memory, sizeof memory, 1)));
    }
  return 0;
}
