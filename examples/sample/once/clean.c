/*
 * A table that whoever needs it first sets up, by pthread_once; from then on it is read without a lock.
 *
 * No race: the others wait until it is set up.
 */
#include "../server.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned weights[PAGES * BODY];

static void set_up_weights(void) {
  for (unsigned round = 0; round < 200; round++)
    for (unsigned i = 0; i < PAGES * BODY; i++)
      weights[i] += i * round;
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct request request;
  char text[LONGEST_ANSWER];
  while (next_request(client, &request)) {
    unsigned length = write_answer(&request, text);
    pthread_once(&once, set_up_weights);
    for (unsigned i = 0; i < BODY; i++)
      client->sum += weights[request.page * BODY + i];
    send_answer(client, text, length);
  }
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
