/*
 * Opening a FIFO waits until somebody opens its other end, and so puts what that one did before in
 * order. The racy program opens it without waiting.
 */
#include "race.h"

static int writers_way = O_RDONLY, readers_way = O_WRONLY;
static void write_and_open(void) {
  write_data();
  must(open("fifo", writers_way));
}
static void open_and_read(void) {
  must(open("fifo", readers_way));
  read_data();
}

static void racy(void) {
  must(mkfifo("fifo", 0666));
  writers_way = O_RDONLY | O_NONBLOCK;
  readers_way = O_RDWR;
  both(write_and_open, open_and_read);
}
static void fixed(void) {
  must(mkfifo("fifo", 0666));
  both(write_and_open, open_and_read);
}
