/*
 * A descriptor that was passed through a socket shares its position with the original: two who
 * write through it get in each other's way. In the twin, whoever got it says when it has written.
 */
#include "race.h"
#include <sys/socket.h>

static int ends[2];
static int waits;
static union {
  char bytes[CMSG_SPACE(sizeof(int))];
  struct cmsghdr header;
} control;
static char byte = '!';
static struct iovec content = {.iov_base = &byte, .iov_len = 1};
static struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1, .msg_control = &control,
                                .msg_controllen = sizeof control};
static void pass_on(void) {
  int fd = must(open("data", O_WRONLY));
  control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET,
                                    .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
  must(sendmsg(ends[0], &message, 0));
  if (waits) pass_gate();
  must(write(fd, "sender", 6));
  // As long as it lives, any recorder can tell that theirs is one open file.
  await_unseen(1);
}
static void receive(void) {
  int fd;
  must(recvmsg(ends[1], &message, 0));
  memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
  must(write(fd, "receiver", 8));
  reach(1);
  if (waits) open_gate();
}

static void racy(void) {
  make_gate();
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  both(pass_on, receive);
}
static void fixed(void) {
  waits = 1;
  racy();
}
