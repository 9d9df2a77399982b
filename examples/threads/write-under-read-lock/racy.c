/*
 * Both threads hold the lock as readers, and count their hits. Between the two, main had it as a writer, and
 * so brought them into an order.
 *
 * Race: hits, line 18 with itself.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int setting = 1, hits;

static void *look_up(void *delay) {
  usleep(*(int *)delay);
  pthread_rwlock_rdlock(&lock);
  *(int *)delay = setting;
  hits++;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int delays[2] = {0, 60000};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, look_up, &delays[i]);
  usleep(30000);
  pthread_rwlock_wrlock(&lock);
  setting = 2;
  pthread_rwlock_unlock(&lock);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%d hits, setting %d\n", hits, setting);
  return 0;
}
