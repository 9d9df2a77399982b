/* Three stages that hand on blocks of numbers through bounded queues, with condition variables. */
#include <pthread.h>

#include "report.h"

#define PLACES 16
#define BLOCK 64

struct block {
  unsigned numbers[BLOCK];
};

struct queue {
  struct block *places[PLACES];
  int count, in, out;
  pthread_mutex_t lock;
  pthread_cond_t not_empty, not_full;
};

#define EMPTY_QUEUE                                                                                \
  {.lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER,                       \
   .not_full = PTHREAD_COND_INITIALIZER}

static struct queue first = EMPTY_QUEUE, second = EMPTY_QUEUE;
static int blocks;
static long long total;

static void put(struct queue *queue, struct block *block) {
  pthread_mutex_lock(&queue->lock);
  while (queue->count == PLACES)
    pthread_cond_wait(&queue->not_full, &queue->lock);
  queue->places[queue->in] = block;
  queue->in = (queue->in + 1) % PLACES;
  queue->count++;
  pthread_cond_signal(&queue->not_empty);
  pthread_mutex_unlock(&queue->lock);
}

static struct block *take(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  while (queue->count == 0)
    pthread_cond_wait(&queue->not_empty, &queue->lock);
  struct block *block = queue->places[queue->out];
  queue->out = (queue->out + 1) % PLACES;
  queue->count--;
  pthread_cond_signal(&queue->not_full);
  pthread_mutex_unlock(&queue->lock);
  return block;
}

static void *produce(void *nothing) {
  unsigned random = 1;
  for (int i = 0; i < blocks; i++) {
    struct block *block = malloc(sizeof *block);
    for (int k = 0; k < BLOCK; k++) {
      random = random * 1103515245 + 12345;
      block->numbers[k] = random;
    }
    put(&first, block);
  }
  return nothing;
}

static int compare(const void *one, const void *other) {
  unsigned a = *(const unsigned *)one, b = *(const unsigned *)other;
  return (a > b) - (a < b);
}

static void *sort(void *nothing) {
  for (int i = 0; i < blocks; i++) {
    struct block *block = take(&first);
    qsort(block->numbers, BLOCK, sizeof *block->numbers, compare);
    put(&second, block);
  }
  return nothing;
}

static void *consume(void *nothing) {
  for (int i = 0; i < blocks; i++) {
    struct block *block = take(&second);
    total += block->numbers[BLOCK / 2];
    free(block);
  }
  return nothing;
}

int main(int argc, char **argv) {
  blocks = size_given(argc, argv);
  long long start = nanoseconds();
  void *(*const stages[])(void *) = {produce, sort, consume};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, stages[i], NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  report(total, start);
  return 0;
}
