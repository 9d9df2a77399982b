/*
 * A loop that is told as a whole, and interrupted in its middle: it runs into a page that may not be touched.
 * What the handler does then is the argument. Prints where the memory is.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define ELEMENTS (2 * PAGE / (long)sizeof(long))

static long *arena; /* twice two pages, of which the second one is locked at first */
static const char *way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf outside, inside;
static int handlers;

static __attribute__((noipa)) void fill(long *at, long n) {
  for (long i = 0; i < n; i++)
    at[i] = i;
}

static void separate(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void on_fault(int number) {
  (void)number;
  if (handlers++ > 0)
    siglongjmp(inside, 1);
  mprotect((char *)arena + PAGE, PAGE, PROT_READ | PROT_WRITE);
  if (strcmp(way, "synchronise") == 0)
    separate();
  else if (strcmp(way, "same loop") == 0)
    fill(arena + ELEMENTS, 100);
  else if (strcmp(way, "half of the same loop") == 0 && sigsetjmp(inside, 1) == 0)
    fill(arena + ELEMENTS, ELEMENTS);
  else if (strcmp(way, "jump") == 0)
    siglongjmp(outside, 1);
  else if (strcmp(way, "end") == 0)
    _exit(3);
}

static void *work(void *nothing) {
  separate();
  if (sigsetjmp(outside, 1) == 0)
    fill(arena, ELEMENTS);
  separate();
  fill(arena + ELEMENTS, 10);
  separate();
  return nothing;
}

int main(int argc, char **argv) {
  way = argc > 1 ? argv[1] : "";
  arena = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect((char *)arena + PAGE, PAGE, PROT_NONE);
  mprotect((char *)arena + 3 * PAGE, PAGE, PROT_NONE);
  struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  printf("arena 0x%lx 0x%x\n", (unsigned long)arena, 4 * PAGE);
  fflush(stdout);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
