/*
 * Phases between barriers: in one each client answers into its own half of a table, in the next it sends what the other
 * has written.
 *
 * No race: a barrier is between.
 */
#include "../server.h"

#define BATCH 32

static pthread_barrier_t phase;
static struct {
  unsigned length;
  char text[LONGEST_ANSWER];
} answers[CLIENTS][BATCH];
static int is_over[CLIENTS];

static void *serve(void *argument) {
  struct client *client = argument;
  unsigned own = client->number, other = (own + 1) % CLIENTS;
  struct request request;
  for (int any = 1; any;) {
    for (int i = 0; i < BATCH; i++) {
      is_over[own] |= !next_request(client, &request);
      answers[own][i].length = write_answer(&request, answers[own][i].text);
    }
    pthread_barrier_wait(&phase);
    for (int i = 0; i < BATCH; i++)
      send_answer(client, answers[other][i].text, answers[other][i].length);
    any = !is_over[own] && !is_over[other];
    pthread_barrier_wait(&phase);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_barrier_init(&phase, NULL, CLIENTS);
  return run_server(argc, argv, serve);
}
