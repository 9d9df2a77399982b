/*
 * Settings that are read without a lock, and replaced as a whole now and then: by an atomic pointer to a new block,
 * which nobody writes to from then on.
 *
 * No race: whoever finds the block through the pointer comes after all that was written to it.
 */
#include <stdatomic.h>

#include "../server.h"

struct settings {
  unsigned longest;
  unsigned weights[PAGES];
};

static _Atomic(struct settings *) current;

static struct settings *new_settings(unsigned longest) {
  struct settings *settings = malloc(sizeof *settings);
  settings->longest = longest;
  for (unsigned i = 0; i < PAGES; i++)
    settings->weights[i] = longest % (i + 1) + 1;
  return settings;
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct request request;
  char text[LONGEST_ANSWER];
  while (next_request(client, &request)) {
    /* The old ones are never freed: somebody may still be reading them. */
    if (client->number == 0 && client->served % 1000 == 0)
      atomic_store(&current, new_settings(200 + request.user % 100));
    const struct settings *settings = atomic_load(&current);
    unsigned length = write_answer(&request, text);
    if (length > settings->longest)
      length = settings->longest;
    for (unsigned i = 0; i < PAGES; i++)
      client->sum += settings->weights[i] * i;
    send_answer(client, text, length);
  }
  return NULL;
}

int main(int argc, char **argv) {
  atomic_store(&current, new_settings(200));
  return run_server(argc, argv, serve);
}
