/*
 * An atomicity violation, as ext2 had it: link and unlink change an inode's count of links under its lock, while
 * rename adds one and drops it again without. So counts get lost. Runs for as many seconds as its argument says.
 *
 * Race: i_nlink, lines 26 and 36.
 * Race: i_nlink, lines 26 and 39.
 * Race: i_nlink, lines 27 and 36.
 * Race: i_nlink, lines 27 and 39.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct inode {
  pthread_mutex_t lock;
  volatile unsigned i_nlink;
};

static struct inode inode = {PTHREAD_MUTEX_INITIALIZER, 1};
static time_t end;

static void *rename_file(void *unused) {
  while (time(NULL) < end) {
    /* Nobody holds the lock of the old inode. */
    inode.i_nlink++;
    inode.i_nlink--;
  }
  return unused;
}

static void *link_and_unlink(void *unused) {
  while (time(NULL) < end) {
    pthread_mutex_lock(&inode.lock);
    /* inc_nlink() */
    inode.i_nlink++;
    pthread_mutex_unlock(&inode.lock);
    pthread_mutex_lock(&inode.lock);
    inode.i_nlink--;
    pthread_mutex_unlock(&inode.lock);
  }
  return unused;
}

int main(int argc, char **argv) {
  end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, rename_file, NULL);
  pthread_create(&threads[1], NULL, link_and_unlink, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("done\n");
  return 0;
}
