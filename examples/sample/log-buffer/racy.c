/*
 * An unprotected index into a buffer, as in httpd's ap_buffered_log_writer (its bug 25520): two clients that log at the
 * same time write to the same place, or count only one of their lines. The log is garbled.
 *
 * Race: outbuf, lines 27 and 37.
 * Race: outbuf, lines 37 and 37.
 * Race: outcnt, lines 28 and 28.
 * Race: outcnt, lines 28 and 33.
 * Race: outcnt, lines 28 and 35.
 * Race: outcnt, lines 28 and 38.
 * Race: outcnt, lines 33 and 38.
 * Race: outcnt, lines 35 and 38.
 * Race: outcnt, lines 38 and 38.
 */
#include "../server.h"

#define BUFFER 4096

static struct {
  unsigned outcnt;
  char outbuf[BUFFER];
} log_buffer;

/* Stands for a write to a file. */
static void flush_log(struct client *client) {
  for (unsigned i = 0; i < BUFFER; i += 64)
    client->sum += (unsigned char)log_buffer.outbuf[i];
  log_buffer.outcnt = 0;
}

static void write_log(struct client *client, const char *line) {
  unsigned length = (unsigned)strlen(line);
  if (log_buffer.outcnt + length > BUFFER)
    flush_log(client);
  unsigned at = log_buffer.outcnt % (BUFFER - LONGEST_LINE);
  for (unsigned i = 0; i < length; i++)
    log_buffer.outbuf[at + i] = line[i] == ' ' ? '\t' : line[i];
  log_buffer.outcnt += length;
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct request request;
  while (next_request(client, &request)) {
    write_log(client, request.line);
    client->sum += request.page;
  }
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
