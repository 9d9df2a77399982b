/* A signal handler that takes a thread out of its section, by right: what was done there so far has been done. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf out;
static volatile long total;
static long *volatile nowhere;

static void jump(int number) {
  (void)number;
  siglongjmp(out, 1);
}

static __attribute__((noinline)) void section(void) {
  pthread_mutex_lock(&lock);
  total += 5;
  total += *nowhere;
  pthread_mutex_unlock(&lock);
}

int main(void) {
  signal(SIGSEGV, jump);
  for (int i = 0; i < 10; i++) {
    if (sigsetjmp(out, 1) == 0)
      section();
    else
      pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    printf("%ld\n", total);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
