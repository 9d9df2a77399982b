/*
 * Statistics that every client counts without a lock, as mysqld's statistic_increment and httpd's requests_this_child:
 * counts get lost, which nobody minds much. Every sixteenth request asks for them.
 *
 * Race: requests, lines 21 and 21.
 * Race: requests, lines 21 and 28.
 * Race: bytes, lines 22 and 22.
 * Race: bytes, lines 22 and 29.
 * Race: by_page, lines 23 and 23.
 * Race: by_page, lines 23 and 30.
 */
#include "../server.h"

static struct {
  unsigned long requests;
  unsigned long bytes;
  unsigned long by_page[PAGES];
} statistics;

static void count(const struct request *request, unsigned length) {
  statistics.requests++;
  statistics.bytes += length;
  statistics.by_page[request->page]++;
}

/* What follows the answer, instead of a page. */
static unsigned status(const struct request *request, char *text) {
  char *to = put_number(put_text(text, "requests "), (unsigned)statistics.requests);
  to = put_number(put_text(to, " bytes "), (unsigned)statistics.bytes);
  to = put_number(put_text(to, " page "), (unsigned)statistics.by_page[request->page]);
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
