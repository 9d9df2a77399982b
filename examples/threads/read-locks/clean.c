/*
 * Two threads read the setting at the same time, under a lock that both share; a third changes it with the lock
 * for itself. Each counts in a variable of its own.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int setting = 1;

static void *look_up(void *count) {
  for (int i = 0; i < 3; i++) {
    pthread_rwlock_rdlock(&lock);
    *(int *)count += setting > 0;
    usleep(2000);
    pthread_rwlock_unlock(&lock);
  }
  return NULL;
}

static void *change(void *unused) {
  usleep(3000);
  pthread_rwlock_wrlock(&lock);
  setting++;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  int counts[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, look_up, &counts[i]);
  pthread_create(&threads[2], NULL, change, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("%d and %d, setting %d\n", counts[0], counts[1], setting);
  return 0;
}
