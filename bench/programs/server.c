/*
 * The small server of examples/sample with all that a server has: requests that come through a queue with condition
 * variables, a cache with a read-write lock, a log and statistics with locks, answers on the heap.
 */
#define BODY 1000
#include "../../examples/sample/server.h"

#define WAITING 256
#define LOG 4096

static struct {
  pthread_mutex_t lock;
  pthread_cond_t not_empty, not_full;
  struct request *requests[WAITING];
  unsigned in, count;
  int is_closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .not_empty = PTHREAD_COND_INITIALIZER,
           .not_full = PTHREAD_COND_INITIALIZER};

static struct {
  pthread_rwlock_t lock;
  unsigned long hits[PAGES];
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static struct {
  pthread_mutex_t lock;
  unsigned long requests, bytes;
  unsigned used;
  char text[LOG];
} records = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put(struct request *request) {
  pthread_mutex_lock(&queue.lock);
  while (queue.count == WAITING)
    pthread_cond_wait(&queue.not_full, &queue.lock);
  queue.requests[(queue.in + queue.count) % WAITING] = request;
  if (queue.count++ == 0)
    pthread_cond_signal(&queue.not_empty);
  pthread_mutex_unlock(&queue.lock);
}

static struct request *take(void) {
  struct request *request = NULL;
  pthread_mutex_lock(&queue.lock);
  while (queue.count == 0 && !queue.is_closed)
    pthread_cond_wait(&queue.not_empty, &queue.lock);
  if (queue.count > 0) {
    request = queue.requests[queue.in];
    queue.in = (queue.in + 1) % WAITING;
    /* Not for each: threads would do nothing but wake each other. */
    if (--queue.count == WAITING / 2)
      pthread_cond_signal(&queue.not_full);
  }
  pthread_mutex_unlock(&queue.lock);
  return request;
}

static void close_queue(void) {
  pthread_mutex_lock(&queue.lock);
  queue.is_closed = 1;
  pthread_cond_broadcast(&queue.not_empty);
  pthread_mutex_unlock(&queue.lock);
}

static unsigned long look_up(const struct request *request) {
  if (request->user % 16 == 0) {
    pthread_rwlock_wrlock(&cache.lock);
    cache.hits[request->page]++;
    pthread_rwlock_unlock(&cache.lock);
  }
  pthread_rwlock_rdlock(&cache.lock);
  unsigned long hits = cache.hits[request->page];
  pthread_rwlock_unlock(&cache.lock);
  return hits;
}

static void keep_record(const struct request *request, unsigned length) {
  size_t line = strlen(request->line);
  pthread_mutex_lock(&records.lock);
  records.requests++;
  records.bytes += length;
  if (records.used + line > LOG)
    records.used = 0;
  memcpy(&records.text[records.used], request->line, line);
  records.used += (unsigned)line;
  pthread_mutex_unlock(&records.lock);
}

static void answer_all(struct client *client) {
  unsigned long sum = 0;
  for (struct request *request; (request = take()) != NULL; free(request)) {
    look_up(request);
    char *text = malloc(LONGEST_ANSWER);
    unsigned length = write_answer(request, text);
    /* In any order: which thread gets which request is not the same in each run. */
    client->sum = 0;
    send_answer(client, text, length);
    sum += client->sum % 1000003;
    keep_record(request, length);
    free(text);
  }
  client->sum = sum;
}

static void receive_all(struct client *client) {
  for (;;) {
    struct request *request = malloc(sizeof *request);
    if (!next_request(client, request))
      break;
    put(request);
  }
  close_queue();
  client->sum = 0;
}

static void *serve(void *argument) {
  struct client *client = argument;
  if (client->number == 0)
    receive_all(client);
  answer_all(client);
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
