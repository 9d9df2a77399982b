#include <stdio.h>
#include <stdlib.h>

static int counted;

__attribute__((noinline)) static int leaf(int x) { return x + counted++; }
__attribute__((noinline)) static int tail(int x) { return leaf(x + 1); }
__attribute__((noinline)) static int by_pointer(int (*function)(int), int x) {
  return function(x) + 1;
}

int main(int count, char **words) {
  (void)words;
  int (*chosen)(int) = count > 1 ? leaf : tail;
  printf("%d\n", by_pointer(chosen, count) + tail(count));
  return abs(count) > 3;
}
