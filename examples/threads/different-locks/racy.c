/*
 * The writer holds the lock of the account, the reader that of the statement it prints. A lock around a counter
 * of both comes between the two, as long as the writer is first.
 *
 * Race: balance, lines 24 and 34.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statement = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, printed, requests;

static void count(void) {
  pthread_mutex_lock(&counting);
  requests++;
  pthread_mutex_unlock(&counting);
}

static void *deposit(void *unused) {
  pthread_mutex_lock(&account);
  balance += 50;
  pthread_mutex_unlock(&account);
  count();
  return unused;
}

static void *print(void *unused) {
  usleep(30000);
  count();
  pthread_mutex_lock(&statement);
  printed = balance;
  pthread_mutex_unlock(&statement);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, deposit, NULL);
  pthread_create(&threads[1], NULL, print, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("printed %d after %d requests\n", printed, requests);
  return 0;
}
