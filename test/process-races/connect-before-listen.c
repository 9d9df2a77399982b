/*
 * A client calls without knowing that somebody listens yet; here it comes too early and is refused.
 * In the twin the server says when it listens.
 */
#include "race.h"
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
static int announces;
static void serve(void) {
  int door = must(socket(AF_UNIX, SOCK_STREAM, 0));
  must(bind(door, (struct sockaddr *)&address, sizeof address));
  if (!announces) {
    reach(1);
    await_unseen(2);
  }
  must(listen(door, 5));
  if (!announces) return;
  open_gate();
  must(accept(door, NULL, NULL));
}
static void call(void) {
  if (announces) pass_gate();
  else await_unseen(1);
  int fd = must(socket(AF_UNIX, SOCK_STREAM, 0));
  connect(fd, (struct sockaddr *)&address, sizeof address);
  reach(2);
}

static void racy(void) {
  make_gate();
  both(serve, call);
}
static void fixed(void) {
  announces = 1;
  racy();
}
