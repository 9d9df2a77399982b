/*
 * A queue with condition variables: one thread receives requests into jobs, another answers them, and hands the jobs
 * back by a second queue. A job is written and read without a lock by whoever has it, again and again.
 *
 * No race: whoever takes a job from a queue comes after the one who put it there.
 */
#include "../server.h"

#define JOBS 16

struct job {
  struct request request;
  unsigned length;
  char text[LONGEST_ANSWER];
};

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t not_empty;
  struct job *jobs[JOBS + 1];
  unsigned in, out;
};

static struct queue waiting = {.lock = PTHREAD_MUTEX_INITIALIZER,
                               .not_empty = PTHREAD_COND_INITIALIZER};
static struct queue unused = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .not_empty = PTHREAD_COND_INITIALIZER};

static void put(struct queue *queue, struct job *job) {
  pthread_mutex_lock(&queue->lock);
  queue->jobs[queue->in] = job;
  queue->in = (queue->in + 1) % (JOBS + 1);
  pthread_cond_signal(&queue->not_empty);
  pthread_mutex_unlock(&queue->lock);
}

static struct job *take(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  while (queue->in == queue->out)
    pthread_cond_wait(&queue->not_empty, &queue->lock);
  struct job *job = queue->jobs[queue->out];
  queue->out = (queue->out + 1) % (JOBS + 1);
  pthread_mutex_unlock(&queue->lock);
  return job;
}

/* Receives; a job without an answer says that there are no more. */
static void listen_for(struct client *client) {
  struct job *job = take(&unused);
  while (next_request(client, &job->request)) {
    job->length = 1;
    put(&waiting, job);
    job = take(&unused);
  }
  job->length = 0;
  put(&waiting, job);
}

static void answer_for(struct client *client) {
  for (struct job *job; (job = take(&waiting))->length > 0; put(&unused, job)) {
    job->length = write_answer(&job->request, job->text);
    send_answer(client, job->text, job->length);
  }
}

static void *serve(void *argument) {
  struct client *client = argument;
  if (client->number == 0)
    listen_for(client);
  else
    answer_for(client);
  return NULL;
}

int main(int argc, char **argv) {
  for (int i = 0; i < JOBS; i++)
    put(&unused, calloc(1, sizeof(struct job)));
  return run_server(argc, argv, serve);
}
