/* The same, with the lock in rename as well. */
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
    pthread_mutex_lock(&inode.lock);
    inode.i_nlink++;
    inode.i_nlink--;
    pthread_mutex_unlock(&inode.lock);
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
