/*
 * The third thread reads what the first wrote. Between the two, a second one took both locks, one after the
 * other, for reasons of its own.
 *
 * Race: message, lines 22 and 37.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t input = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static int message, received, sender, carrier;

static void set(int *variable, int value, pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  *variable = value;
  pthread_mutex_unlock(lock);
}

static void *write_message(void *unused) {
  message = 6;
  set(&sender, 1, &input);
  return unused;
}

static void *carry(void *unused) {
  usleep(30000);
  set(&sender, 2, &input);
  set(&carrier, 2, &output);
  return unused;
}

static void *read_message(void *unused) {
  usleep(60000);
  set(&carrier, 3, &output);
  received = message;
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, write_message, NULL);
  pthread_create(&threads[1], NULL, carry, NULL);
  pthread_create(&threads[2], NULL, read_message, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("received %d, sender %d, carrier %d\n", received, sender, carrier);
  return 0;
}
