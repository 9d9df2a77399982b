/* Calls functions of the C library in each way that there is: by a stub, by a slot, by a pointer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int shared_number = 42;
static int own_numbers[100];
__thread int per_thread;
int (*pointer)(const char *) = puts;
void *(*other_pointer)(size_t) = malloc;

__attribute__((noinline)) int add(int a, int b) { return a + b + own_numbers[a & 63]; }
static __attribute__((noinline)) void show(const char *text) {
  pointer(text);
  fflush(stdout);
}
int add_again(int, int) __attribute__((alias("add")));

int main(int argc, char **argv) {
  char *copy = other_pointer(strlen(argv[0]) + 1);
  strcpy(copy, argv[0]);
  show(argc > 1 ? copy : "calls");
  printf("%d %d\n", add(argc, shared_number), (int)getpid());
  free(copy);
  return per_thread;
}
