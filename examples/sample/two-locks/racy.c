/*
 * Two different locks for one field, as mysqld had it (its bug 28249): an insertion writes the state of the table back
 * with the table's lock, a query that is put into the cache looks at its length with the cache's lock. So the cache
 * keeps answers of which it does not know that they are out of date.
 *
 * Race: state, lines 26 and 42.
 */
#include "../server.h"

struct state {
  unsigned long records, deleted, key_length, data_length, empty, checksum, updates, split;
};

static struct {
  pthread_mutex_t lock;
  struct state state;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
  pthread_mutex_t lock;
  unsigned long data_length[PAGES];
  unsigned long out_of_date;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void update_status(const struct state *state) {
  table.state = *state;
}

static void insert(const struct request *request, unsigned length) {
  pthread_mutex_lock(&table.lock);
  struct state state = table.state;
  state.records++;
  state.data_length += length;
  state.checksum = state.checksum * 31 + request->user;
  state.updates += request->user % 3;
  update_status(&state);
  pthread_mutex_unlock(&table.lock);
}

static void store_query(const struct request *request) {
  pthread_mutex_lock(&cache.lock);
  unsigned long length = table.state.data_length;
  if (cache.data_length[request->page] != length)
    cache.out_of_date++;
  cache.data_length[request->page] = length;
  pthread_mutex_unlock(&cache.lock);
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct request request;
  while (next_request(client, &request)) {
    if (request.user % 2 == 0)
      insert(&request, (unsigned)strlen(request.line));
    else
      store_query(&request);
    client->sum += request.page;
  }
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
