/* The same, unlocked when all of it is initialised. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct inode {
  pthread_mutex_t lock;
  int is_new;
  long size;
};

static struct inode inode = {PTHREAD_MUTEX_INITIALIZER, 1, 0};
static time_t end;

/* The lower file's, from the disk. */
static long lower_size(void) { return 0; }

static void *open_file(void *unused) {
  while (time(NULL) < end) {
    pthread_mutex_lock(&inode.lock);
    inode.is_new = 0;
    inode.size = lower_size();
    pthread_mutex_unlock(&inode.lock);
  }
  return unused;
}

static void *write_file(void *unused) {
  long written = 0;
  while (time(NULL) < end) {
    pthread_mutex_lock(&inode.lock);
    if (!inode.is_new) {
      written = written % 1000 + 1;
      /* i_size_write() */
      inode.size = written;
      inode.is_new = 1;
    }
    pthread_mutex_unlock(&inode.lock);
  }
  return unused;
}

int main(int argc, char **argv) {
  end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, open_file, NULL);
  pthread_create(&threads[1], NULL, write_file, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("done\n");
  return 0;
}
