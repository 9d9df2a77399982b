/*
 * A connection orders what the client did before it and what the server does after it; its first
 * bytes order the other direction. The racy server looks before it accepts.
 */
#include "race.h"
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
static int door;
static int looks_early;
static void call(void) {
  write_data();
  int fd = must(socket(AF_UNIX, SOCK_STREAM, 0));
  must(connect(fd, (struct sockaddr *)&address, sizeof address));
}
static void answer(void) {
  if (looks_early) read_data();
  must(accept(door, NULL, NULL));
  if (!looks_early) read_data();
}
static void run(void) {
  door = must(socket(AF_UNIX, SOCK_STREAM, 0));
  must(bind(door, (struct sockaddr *)&address, sizeof address));
  must(listen(door, 5));
  both(answer, call);
}

static void racy(void) {
  looks_early = 1;
  run();
}
static void fixed(void) { run(); }
