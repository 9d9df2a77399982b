/*
 * Two jobs of one script meet: neither goes on before both have come, so that none has ended before
 * the other begins. They meet in shared memory, which no system call tells of, so that to a recorder
 * nothing is in order that was not before.
 *
 *   { echo new >data; meet; } & { cat data; meet; } & wait; meet remove
 *
 * The place to meet is known by the current directory, and by when that was made: numbers are used
 * again, and a test that was killed has not removed its place. Whoever waits for both must remove it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENOUGH_TRIES = 60000 };

int main(int count, char **arguments) {
  struct statx here;
  (void)arguments;
  if (statx(AT_FDCWD, ".", 0, STATX_INO | STATX_BTIME, &here) != 0) return perror("statx"), 1;
  key_t key = (key_t)(0x64680000 ^ here.stx_ino ^ (here.stx_dev_minor << 20));
  key ^= (key_t)(here.stx_btime.tv_nsec ^ here.stx_btime.tv_sec * 40503);
  int place = shmget(key, sizeof(int), IPC_CREAT | 0600);
  if (place < 0) return perror("shmget"), 1;
  if (count > 1) return shmctl(place, IPC_RMID, NULL) == 0 ? 0 : 1;
  int *here_now = shmat(place, NULL, 0);
  if (here_now == (void *)-1) return perror("shmat"), 1;
  __atomic_add_fetch(here_now, 1, __ATOMIC_SEQ_CST);
  for (int tries = 0; __atomic_load_n(here_now, __ATOMIC_SEQ_CST) < 2; tries++) {
    if (tries == ENOUGH_TRIES) {
      fputs("meet: nobody came\n", stderr);
      return shmctl(place, IPC_RMID, NULL), 1;
    }
    usleep(500);
  }
  return 0;
}
