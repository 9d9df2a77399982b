/*
 * The writer holds the lock of the account, the reader that of the statement it prints. A lock around what
 * was done last comes between the two, as long as the writer is first.
 *
 * Race: balance, lines 24 and 34.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statement = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, printed, latest;

static void note(int what) {
  pthread_mutex_lock(&noting);
  latest = what;
  pthread_mutex_unlock(&noting);
}

static void *deposit(void *unused) {
  pthread_mutex_lock(&account);
  balance += 50;
  pthread_mutex_unlock(&account);
  note(1);
  return unused;
}

static void *print(void *unused) {
  usleep(30000);
  note(2);
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
  printf("printed %d, latest %d\n", printed, latest);
  return 0;
}
