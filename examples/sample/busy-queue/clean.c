/*
 * Two queues with condition variables, with more jobs in them than the two threads are ever behind: one thread parses a
 * job's request, the other counts what it is about, and each hands the job on to the other. A job is written and read
 * without a lock by whoever has it, and hardly anybody ever waits for one.
 *
 * No race: whoever takes a job from a queue has its lock after the one who put it there.
 */
#include "../server.h"

#define JOBS 64
#define ROUNDS 8

struct job {
  struct request request;
  unsigned counts[16];
  struct job *next;
};

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t not_empty;
  struct job *first, *last;
};

static struct queue queues[CLIENTS] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0},
                                       {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0}};

static void put(struct queue *queue, struct job *job) {
  job->next = NULL;
  pthread_mutex_lock(&queue->lock);
  int was_empty = queue->first == NULL;
  if (was_empty)
    queue->first = job;
  else
    queue->last->next = job;
  queue->last = job;
  if (was_empty)
    pthread_cond_signal(&queue->not_empty);
  pthread_mutex_unlock(&queue->lock);
}

static struct job *take(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  while (queue->first == NULL)
    pthread_cond_wait(&queue->not_empty, &queue->lock);
  struct job *job = queue->first;
  queue->first = job->next;
  pthread_mutex_unlock(&queue->lock);
  return job;
}

static void count(struct job *job) {
  for (unsigned round = 0; round < ROUNDS; round++)
    for (const char *at = job->request.line; *at != '\0'; at++)
      job->counts[*at % 16]++;
}

/* The other one must not wait for what is not put any more. */
static void *serve(void *argument) {
  struct client *client = argument;
  struct queue *mine = &queues[client->number], *others = &queues[1 - client->number];
  for (int is_more = 1; is_more;) {
    struct job *job = take(mine);
    is_more = next_request(client, &job->request);
    count(job);
    put(others, job);
  }
  for (int i = 0; i < JOBS; i++)
    put(others, calloc(1, sizeof(struct job)));
  return NULL;
}

int main(int argc, char **argv) {
  for (int i = 0; i < JOBS; i++)
    put(&queues[i % CLIENTS], calloc(1, sizeof(struct job)));
  return run_server(argc, argv, serve);
}
