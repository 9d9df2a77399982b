/*
 * The writer sends a byte through a pipe once the data are there, and the reader waits for it. The kernel keeps
 * the two in order, but a trace does not tell of pipes: it has nothing between the accesses. That they never
 * meet shows only when the program is run again for it.
 *
 * No race, though it may be predicted: data, lines 18 and 25: the reader waits for the byte, but pipes are not
 * in a trace.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static int data, seen;

static void *send_byte(void *unused) {
  usleep(20000);
  data = 7;
  return write(ends[1], "!", 1) == 1 ? unused : NULL;
}

static void *receive(void *unused) {
  char byte;
  if (read(ends[0], &byte, 1) == 1)
    seen = data;
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
  printf("seen %d\n", seen);
  return 0;
}
