/* The same with POSIX's queues, which have names. */
#include "race.h"
#include <mqueue.h>

static mqd_t queue;
static int waits;
static void write_and_tell(void) {
  write_data();
  must(mq_send(queue, "done", 4, 0));
}
static void hear_and_read(void) {
  char bytes[4];
  if (!waits) read_data();
  must(mq_receive(queue, bytes, 4, NULL));
  if (waits) read_data();
}

static void racy(void) {
  char name[32];
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 4};
  snprintf(name, sizeof name, "/process-races-%d", getpid());
  queue = must(mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &size));
  must(mq_unlink(name));
  both(write_and_tell, hear_and_read);
}
static void fixed(void) {
  waits = 1;
  racy();
}
