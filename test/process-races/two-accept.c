/* Two servers accept at one socket: either may get a client. The twin's have a socket each. */
#include "race.h"
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un addresses[2] = {
    {.sun_family = AF_UNIX, .sun_path = "first"},
    {.sun_family = AF_UNIX, .sun_path = "second"},
};
static int doors[2];
static int second_door;
static void open_door(int number) {
  doors[number] = must(socket(AF_UNIX, SOCK_STREAM, 0));
  must(bind(doors[number], (struct sockaddr *)&addresses[number], sizeof *addresses));
  must(listen(doors[number], 5));
}
static void answer_first(void) { must(accept(doors[0], NULL, NULL)); }
static void answer_second(void) { must(accept(doors[second_door], NULL, NULL)); }
static void call_at(int number) {
  int fd = must(socket(AF_UNIX, SOCK_STREAM, 0));
  must(connect(fd, (struct sockaddr *)&addresses[number], sizeof *addresses));
}
static void run(void) {
  open_door(0);
  open_door(1);
  pid_t first = child(answer_first), second = child(answer_second);
  call_at(0);
  call_at(second_door);
  collect(first);
  collect(second);
}

static void racy(void) { run(); }
static void fixed(void) {
  second_door = 1;
  run();
}
