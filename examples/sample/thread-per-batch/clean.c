/*
 * A thread for each batch of requests: whoever starts it writes the requests before, and reads the answers after it has
 * joined it.
 *
 * No race: a thread begins after what was done before it was created, and a join comes after all that it did.
 */
#include "../server.h"

#define BATCH 256

struct batch {
  struct request requests[BATCH];
  unsigned lengths[BATCH];
  char texts[BATCH][LONGEST_ANSWER];
};

static void *answer_batch(void *argument) {
  struct batch *batch = argument;
  for (int i = 0; i < BATCH; i++)
    batch->lengths[i] = write_answer(&batch->requests[i], batch->texts[i]);
  return NULL;
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct batch *batch = malloc(sizeof *batch);
  for (int any = 1; any;) {
    for (int i = 0; i < BATCH; i++)
      any &= next_request(client, &batch->requests[i]);
    pthread_t thread;
    pthread_create(&thread, NULL, answer_batch, batch);
    pthread_join(thread, NULL);
    for (int i = 0; i < BATCH; i++)
      send_answer(client, batch->texts[i], batch->lengths[i]);
  }
  free(batch);
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
