/* Two processes count in a file; the twin holds a System V semaphore meanwhile. */
#include "race.h"
#include <sys/ipc.h>
#include <sys/sem.h>

static int lock;
static int locks;
static void step(int by) {
  struct sembuf operation = {.sem_op = by};
  if (locks) must(semop(lock, &operation, 1));
}
static void count(void) {
  step(-1);
  read_data();
  write_data();
  step(1);
}

static void racy(void) {
  lock = must(semget(IPC_PRIVATE, 1, 0600));
  must(semctl(lock, 0, SETVAL, 1));
  both(count, count);
  must(semctl(lock, 0, IPC_RMID));
}
static void fixed(void) {
  locks = 1;
  racy();
}
