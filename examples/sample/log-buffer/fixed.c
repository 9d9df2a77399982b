/* The same with a lock for the buffer. */
#include "../server.h"

#define BUFFER 4096

static struct {
  pthread_mutex_t lock;
  unsigned outcnt;
  char outbuf[BUFFER];
} log_buffer = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Stands for a write to a file. */
static void flush_log(struct client *client) {
  for (unsigned i = 0; i < BUFFER; i += 64)
    client->sum += (unsigned char)log_buffer.outbuf[i];
  log_buffer.outcnt = 0;
}

static void write_log(struct client *client, const char *line) {
  unsigned length = (unsigned)strlen(line);
  pthread_mutex_lock(&log_buffer.lock);
  if (log_buffer.outcnt + length > BUFFER)
    flush_log(client);
  unsigned at = log_buffer.outcnt % (BUFFER - LONGEST_LINE);
  for (unsigned i = 0; i < length; i++)
    log_buffer.outbuf[at + i] = line[i] == ' ' ? '\t' : line[i];
  log_buffer.outcnt += length;
  pthread_mutex_unlock(&log_buffer.lock);
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
