/* The same with atomic counters. */
#include <stdatomic.h>

#include "../server.h"

static struct {
  atomic_ulong requests;
  atomic_ulong bytes;
  atomic_ulong by_page[PAGES];
} statistics;

static void count(const struct request *request, unsigned length) {
  atomic_fetch_add(&statistics.requests, 1);
  atomic_fetch_add(&statistics.bytes, length);
  atomic_fetch_add(&statistics.by_page[request->page], 1);
}

/* What follows the answer, instead of a page. */
static unsigned status(const struct request *request, char *text) {
  char *to = put_number(put_text(text, "requests "), (unsigned)atomic_load(&statistics.requests));
  to = put_number(put_text(to, " bytes "), (unsigned)atomic_load(&statistics.bytes));
  to = put_number(put_text(to, " page "), (unsigned)atomic_load(&statistics.by_page[request->page]));
  return (unsigned)(to - text);
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct request request;
  char text[LONGEST_ANSWER];
  while (next_request(client, &request)) {
    unsigned length = request.user % 16 == 0 ? status(&request, text) : write_answer(&request, text);
    send_answer(client, text, length);
    count(&request, length);
  }
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
