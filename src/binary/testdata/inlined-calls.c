/* Calls within calls that the compiler inlines, an unlikely part that it moves away, a function that the
   linker drops. */
#include <stdio.h>
#include <stdlib.h>

#include "steps.h"

#define INLINED static inline __attribute__((always_inline))

int seen;

INLINED int step(int number, int weight) {
  seen++;
  return halved(number) + weight * seen;
}

INLINED int walk(int number) {
  int sum = 0;
  for (int i = 0; i < number; i++)
    sum += step(number, i);
  return sum;
}

int dropped(int number) { return walk(number) + 1; }

__attribute__((noinline)) int work(int number) {
  if (number > 100) {
    puts("unlikely");
    abort();
  }
  seen += walk(number);
  return walk(seen & 7);
}

int main(int argc, char **argv) {
  (void)argv;
  printf("%d\n", work(argc) + step(argc, 3));
  return 0;
}
