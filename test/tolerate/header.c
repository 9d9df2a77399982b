/*
 * deadheat/tolerate.h, in C and in C++: a thread that names what it uses, and others that ignore the lock. Prints
 * how often it saw something else than what it had done itself, natively if there is an argument.
 */
#include <deadheat/tolerate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int number;
static int table[10], *grid;
static struct {
  long first;
  char second;
} pair = {1, 2};
static const int limit = 3;
static int done;
static long tolerated, intolerable;

static void told(const struct deadheat_race *race) {
  if (race->resolution.tolerated)
    tolerated++;
  else
    intolerable++;
}

static void *ignore_lock(void *id) {
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
    number = (int)(long)id;
    for (int i = 0; i < 10; i++)
      __atomic_store_n(&table[i], (int)(long)id, __ATOMIC_RELAXED);
    for (int i = 0; i < 25; i++)
      __atomic_store_n(&grid[i], (int)(long)id, __ATOMIC_RELAXED);
  }
  return NULL;
}

static int raised(volatile int *one, int *two, int *three) {
  int before = *one, second = two[3], third = three[7];
  for (int i = 0; i < 200; i++) {
    ++*one;
    ++*(volatile int *)&two[3];
    ++*(volatile int *)&three[7];
  }
  return *one == before + 200 && two[3] == second + 200 && three[7] == third + 200;
}

static int isolated(void) {
  DEADHEAT_UPDATES(number);
  DEADHEAT_UPDATES(table);
  DEADHEAT_UPDATES_AT(grid, 25);
  return raised(&number, table, grid);
}

/* What leaves the block in its middle gives copies back all the same; each shape does what it says. */
static int shapes(void) {
  for (int i = 0; i < 2; i++) {
    DEADHEAT_READS(limit);
    DEADHEAT_UPDATES(pair);
    DEADHEAT_SETS(number);
    number = 77;
    pair.first += limit;
    if (i == 1)
      break;
    pair.second = 9;
  }
  return pair.first == 7 && pair.second == 9 && number == 77;
}

int main(int count, char **arguments) {
  (void)arguments;
  grid = (int *)calloc(25, sizeof *grid);
  deadheat_race_handler = told;
  pthread_t threads[5];
  for (long i = 0; i < 5; i++)
    pthread_create(&threads[i], NULL, ignore_lock, (void *)(i + 1));
  long torn = 0;
  /* Until others have come between, of which nobody knows when they will. */
  for (int n = 0; n < 50000 || (n < 5000000 && torn == 0 && (tolerated == 0 || intolerable == 0)); n++) {
    deadheat_others_are_blind = n % 2;
    pthread_mutex_lock(&lock);
    torn += count > 1 ? !raised(&number, table, grid) : !isolated();
    pthread_mutex_unlock(&lock);
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 5; i++)
    pthread_join(threads[i], NULL);
  printf("torn %ld, shapes %d, told %d\n", torn, shapes(), tolerated > 0 && intolerable > 0);
  return 0;
}
