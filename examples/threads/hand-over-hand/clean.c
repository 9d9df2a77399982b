/*
 * Each node of a list has a lock for its value. A thread takes the next node's before it lets go of the one
 * that it has, so that nobody overtakes it. No lock is held all along.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { NODES = 4 };

static struct node {
  pthread_mutex_t lock;
  int value;
} nodes[NODES];

static void *walk(void *amount) {
  pthread_mutex_lock(&nodes[0].lock);
  for (int i = 0; i < NODES; i++) {
    nodes[i].value += *(int *)amount;
    usleep(1000);
    if (i + 1 < NODES)
      pthread_mutex_lock(&nodes[i + 1].lock);
    pthread_mutex_unlock(&nodes[i].lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int amounts[2] = {1, 10};
  for (int i = 0; i < NODES; i++)
    pthread_mutex_init(&nodes[i].lock, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, walk, &amounts[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%d to %d\n", nodes[0].value, nodes[NODES - 1].value);
  return 0;
}
