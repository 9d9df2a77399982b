/* A process that others may not look into, as ssh-agent is. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  char bytes[64];
  int fd = open("/etc/hostname", O_RDONLY);
  printf("read %d\n", read(fd, bytes, sizeof bytes) > 0);
  return 0;
}
