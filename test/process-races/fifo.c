/* A byte through a FIFO orders a write and a read; the racy reader does not wait for it. */
#include "race.h"

static int waits;
static void write_and_tell(void) {
  int fd = must(open("fifo", O_WRONLY));
  write_data();
  must(write(fd, "done", 4));
}
static void listen_and_read(void) {
  char bytes[4];
  int fd = must(open("fifo", O_RDONLY));
  if (!waits) read_data();
  must(read(fd, bytes, 4));
  if (waits) read_data();
}

static void racy(void) {
  must(mkfifo("fifo", 0666));
  both(write_and_tell, listen_and_read);
}
static void fixed(void) {
  waits = 1;
  racy();
}
