/* Waits as a program that was built before glibc 2.3.2, whose conditions look different. */
#include <pthread.h>

#include "named.h"

__asm__(".symver pthread_cond_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver pthread_cond_signal, pthread_cond_signal@GLIBC_2.2.5");

/* Of the old ones only a pointer was used; what follows must not be touched. */
static struct {
  void *old;
  unsigned char guard[64];
} condition;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *other(void *unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal((pthread_cond_t *)&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  for (int i = 0; i < 64; i++)
    condition.guard[i] = (unsigned char)i;
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, other, NULL);
  while (!ready)
    pthread_cond_wait((pthread_cond_t *)&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  for (int i = 0; i < 64; i++)
    MUST(condition.guard[i] == i);
  return 4;
}
