/*
 * A client calls without knowing that somebody listens yet, and is lucky. In the twin the server
 * says when it listens.
 */
#include "race.h"
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
static int announces;
static void serve(void) {
  int door = must(socket(AF_UNIX, SOCK_STREAM, 0));
  must(bind(door, (struct sockaddr *)&address, sizeof address));
  must(listen(door, 5));
  if (announces) open_gate();
  reach(1);
  must(accept(door, NULL, NULL));
}
static void call(void) {
  if (announces) pass_gate();
  await_unseen(1);
  int fd = must(socket(AF_UNIX, SOCK_STREAM, 0));
  must(connect(fd, (struct sockaddr *)&address, sizeof address));
}

static void racy(void) {
  make_gate();
  both(serve, call);
}
static void fixed(void) {
  announces = 1;
  racy();
}
