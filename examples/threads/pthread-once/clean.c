/*
 * Three threads need a table, which pthread_once makes for them. Only one of them writes it, with no lock, and
 * all read it.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int squares[4];

static void make_squares(void) {
  for (int i = 0; i < 4; i++)
    squares[i] = i * i;
}

static void *look_up(void *number) {
  usleep(5000 * *(int *)number);
  pthread_once(&once, make_squares);
  *(int *)number = squares[*(int *)number];
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  int numbers[3] = {1, 2, 3};
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, look_up, &numbers[i]);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("%d %d %d\n", numbers[0], numbers[1], numbers[2]);
  return 0;
}
