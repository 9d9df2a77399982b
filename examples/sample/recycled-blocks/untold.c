/*
 * Memory that is used again through an allocator of the program's own, as in httpd's apr_pool: a block belongs to one
 * client at a time, and needs no lock while it does. Nothing tells that the block is another one when it comes back
 * from the pool, so this looks like a race.
 *
 * Not a race, though it is reported: length, lines 39 and 39.
 * Not a race, though it is reported: length, lines 39 and 45.
 * Not a race, though it is reported: text, lines 41 and 41.
 * Not a race, though it is reported: text, lines 41 and 46.
 */
#include "../server.h"

struct block {
  struct block *next;
  unsigned length;
  char text[LONGEST_ANSWER];
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *pool;

static struct block *take_block(void) {
  pthread_mutex_lock(&pool_lock);
  struct block *block = pool;
  if (block != NULL)
    pool = block->next;
  pthread_mutex_unlock(&pool_lock);
  return block != NULL ? block : malloc(sizeof *block);
}

static void give_back(struct block *block) {
  pthread_mutex_lock(&pool_lock);
  block->next = pool;
  pool = block;
  pthread_mutex_unlock(&pool_lock);
}

static void fill_block(struct block *block, const char *text, unsigned length) {
  block->length = length;
  for (unsigned i = 0; i < length; i++)
    block->text[i] = text[i] == '\r' ? ' ' : text[i];
}

static void send_block(struct client *client, const struct block *block) {
  for (unsigned i = 0; i < block->length; i++)
    client->sum = client->sum * 31 + (unsigned char)block->text[i];
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct request request;
  char text[LONGEST_ANSWER];
  while (next_request(client, &request)) {
    unsigned length = write_answer(&request, text);
    struct block *block = take_block();
    fill_block(block, text, length);
    send_block(client, block);
    give_back(block);
  }
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
