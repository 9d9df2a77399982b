/*
 * A batch of requests that is handed to and fro by two semaphores: one client receives into it, the other answers.
 *
 * No race: who has the batch is told by the semaphores.
 */
#include <semaphore.h>

#include "../server.h"

#define BATCH 32

static sem_t is_filled, is_answered;
static struct {
  unsigned count;
  struct request requests[BATCH];
  unsigned lengths[BATCH];
} batch;

static void fill(struct client *client) {
  unsigned count;
  do {
    sem_wait(&is_answered);
    for (count = 0; count < BATCH && next_request(client, &batch.requests[count]); count++)
      batch.lengths[count] = 0;
    batch.count = count;
    sem_post(&is_filled);
  } while (count == BATCH);
}

static void answer(struct client *client) {
  char text[LONGEST_ANSWER];
  unsigned count;
  do {
    sem_wait(&is_filled);
    count = batch.count;
    for (unsigned i = 0; i < count; i++) {
      batch.lengths[i] = write_answer(&batch.requests[i], text);
      send_answer(client, text, batch.lengths[i]);
    }
    sem_post(&is_answered);
  } while (count == BATCH);
}

static void *serve(void *argument) {
  struct client *client = argument;
  if (client->number == 0)
    fill(client);
  else
    answer(client);
  return NULL;
}

int main(int argc, char **argv) {
  sem_init(&is_filled, 0, 0);
  sem_init(&is_answered, 0, 1);
  return run_server(argc, argv, serve);
}
