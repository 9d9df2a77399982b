/* The same over TCP, at a port that the kernel chose. */
#include "race.h"
#include <netinet/in.h>
#include <sys/socket.h>

static struct sockaddr_in address = {.sin_family = AF_INET};
static int door;
static int looks_early;
static void call(void) {
  char byte;
  write_data();
  int fd = must(socket(AF_INET, SOCK_STREAM, 0));
  must(connect(fd, (struct sockaddr *)&address, sizeof address));
  must(write(fd, "done", 4));
  must(read(fd, &byte, 1));
}
static void answer(void) {
  char bytes[4];
  if (looks_early) read_data();
  int fd = must(accept(door, NULL, NULL));
  if (!looks_early) read_data();
  must(read(fd, bytes, 4));
}
static void run(void) {
  socklen_t size = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  door = must(socket(AF_INET, SOCK_STREAM, 0));
  must(bind(door, (struct sockaddr *)&address, sizeof address));
  must(getsockname(door, (struct sockaddr *)&address, &size));
  must(listen(door, 5));
  both(answer, call);
}

static void racy(void) {
  looks_early = 1;
  run();
}
static void fixed(void) { run(); }
