/* Asks 127.0.0.1:PORT, and then looks in passing, again and again, whether there is an answer. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  char answer[100];
  int looks = 0, reads = 0;
  long length = 0, got;
  at.sin_addr.s_addr = inet_addr("127.0.0.1");
  int one = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(one, (void *)&at, sizeof at) != 0) return 1;
  write(one, "later\n", 6);
  while (poll(&(struct pollfd){one, POLLIN}, 1, 0) == 0) {
    looks++;
    usleep(10000);
  }
  fcntl(one, F_SETFL, O_NONBLOCK);
  while ((got = read(one, answer + length, sizeof answer - length)) != 0) {
    if (got > 0) length += got;
    else usleep(10000);
    reads++;
  }
  printf("%d looks, %d reads: %.*s", looks, reads, (int)length, answer);
  return 0;
}
