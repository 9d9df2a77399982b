/*
 * The paper's first listing as a program: each thread touches the balances beside its critical section. The first
 * thread is over (all but its join) before the second begins, so that the lock orders them in every run that is
 * traced; had the second come first, nothing would.
 */
#include <pthread.h>
#include <unistd.h>

#define ACCOUNTS 8

static int balances[ACCOUNTS];
int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Says without any synchronisation that is traced that the first thread is done. */
static int done[2];

__attribute__((noinline)) static void add(void) {
  pthread_mutex_lock(&lock);
  total = 1;
  pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
  for (int i = 0; i < ACCOUNTS; i++)
    balances[i] = 1; /* racy: first */
  add();
  (void)!write(done[1], "x", 1);
  return unused;
}

static void *second(void *unused) {
  char byte;
  (void)!read(done[0], &byte, 1);
  add();
  for (int i = 0; i < ACCOUNTS; i++)
    balances[i] = 2; /* racy: second */
  return unused;
}

int main(void) {
  pthread_t threads[2];
  if (pipe(done) != 0)
    return 1;
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  int sum = 0;
  for (int i = 0; i < ACCOUNTS; i++)
    sum += balances[i];
  return sum != 2 * ACCOUNTS;
}
