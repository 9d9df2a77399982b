/* A System V message orders a write and a read; the racy reader reads first. */
#include "race.h"
#include <sys/ipc.h>
#include <sys/msg.h>

static struct {
  long type;
  char text[4];
} message = {.type = 1, .text = "done"};
static int queue;
static int waits;
static void write_and_tell(void) {
  write_data();
  must(msgsnd(queue, &message, sizeof message.text, 0));
}
static void hear_and_read(void) {
  if (!waits) read_data();
  must(msgrcv(queue, &message, sizeof message.text, 0, 0));
  if (waits) read_data();
}

static void racy(void) {
  queue = must(msgget(IPC_PRIVATE, 0600));
  both(write_and_tell, hear_and_read);
  must(msgctl(queue, IPC_RMID, NULL));
}
static void fixed(void) {
  waits = 1;
  racy();
}
