/* Data are handed over by a byte in a pipe, and the other way round readers share what a writer changes. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "deadheat.h"

static int ends[2];
static int data, seen;
static int table = 3, sum;

static void *send_byte(void *unused) {
  usleep(20000);
  data = 7;
  deadheat_send(ends);
  return write(ends[1], "!", 1) == 1 ? unused : NULL;
}

static void *receive(void *unused) {
  char byte;
  deadheat_lock_shared(&table);
  sum = table;
  deadheat_unlock_shared(&table);
  if (read(ends[0], &byte, 1) == 1) {
    deadheat_receive(ends);
    seen = data;
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  if (pipe(ends) != 0)
    return 1;
  pthread_create(&threads[0], NULL, send_byte, NULL);
  pthread_create(&threads[1], NULL, receive, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("seen %d, sum %d\n", seen, sum);
  return 0;
}
