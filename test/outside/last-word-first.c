/* Tells 127.0.0.1:PORT something, and that this was all; and only then listens. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  char answer[100];
  long got;
  at.sin_addr.s_addr = inet_addr("127.0.0.1");
  int one = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(one, (void *)&at, sizeof at) != 0) return 1;
  write(one, "until the end\n", 14);
  write(one, "more", 4);
  /* Nothing can have come so far. */
  if (recv(one, answer, 1, MSG_DONTWAIT) >= 0) return 2;
  shutdown(one, SHUT_WR);
  while ((got = read(one, answer, sizeof answer)) > 0) write(1, answer, got);
  return 0;
}
