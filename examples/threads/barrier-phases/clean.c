/*
 * In each phase a thread reads its neighbour's cell of the phase before and writes its own of this one. Each
 * barrier separates the phases.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, PHASES = 3 };

static pthread_barrier_t barrier;
static int cells[PHASES + 1][THREADS] = {{1, 2, 3}};

static void *step(void *cell) {
  int own = (int *)cell - cells[0];
  for (int phase = 0; phase < PHASES; phase++) {
    usleep(2000 * own);
    cells[phase + 1][own] = cells[phase][(own + 1) % THREADS] + 1;
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, step, &cells[0][i]);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%d %d %d\n", cells[PHASES][0], cells[PHASES][1], cells[PHASES][2]);
  return 0;
}
