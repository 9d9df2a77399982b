/* A section on a stack that the program has made itself: of such a one it is not known what is the thread's own. */
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t before, inside;
static char stack[1 << 16];
static volatile long total;

static void enter(void) {
  pthread_mutex_lock(&lock);
  total++;
  pthread_mutex_unlock(&lock);
}

int main(void) {
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &before;
  makecontext(&inside, enter, 0);
  swapcontext(&before, &inside);
  printf("total %ld\n", total);
  return 0;
}
