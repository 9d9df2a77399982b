/*
 * A load for memcached, on this machine only: so many requests over so many connections, in batches, of which most are
 * gets, some sets, and a few increments and deletions. Prints how many answers there were, and how many nanoseconds it
 * took. Requests 0: has the server shut down (it takes -A for that).
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "report.h"

#define CONNECTIONS 16
#define BATCH 16
#define KEYS 1000
#define VALUE 100
#define LONGEST_START_SECONDS 20

static void give_up(const char *what) {
  perror(what);
  exit(1);
}

/* The server may have to start first. */
static int connection_to(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int time = 0; time < LONGEST_START_SECONDS * 100; time++) {
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) {
      setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
      return connection;
    }
    close(connection);
    usleep(10000);
  }
  give_up("no server");
  return -1;
}

static void send_all(int connection, const char *text, size_t length) {
  for (ssize_t sent; length > 0; text += sent, length -= (size_t)sent)
    if ((sent = write(connection, text, length)) <= 0)
      give_up("write");
}

static int put_request(char *to, unsigned random) {
  unsigned key = random / 100 % KEYS, what = random % 100;
  if (what < 70)
    return sprintf(to, "get key-%u\r\n", key);
  if (what < 90)
    return sprintf(to, "set key-%u 0 0 %u\r\n%0*u\r\n", key, VALUE, VALUE, key);
  if (what < 95)
    return sprintf(to, "incr counter-%u 1\r\n", key % 10);
  return sprintf(to, "delete key-%u\r\n", key);
}

/* Answers end in a line of their own; what is not one begins with `VALUE`, or is a value and begins with `0`. */
static void receive_answers(int connection, int answers) {
  static char text[1 << 16];
  int is_start = 1, counts = 0;
  while (answers > 0) {
    ssize_t length = read(connection, text, sizeof text);
    if (length <= 0)
      give_up("read");
    for (ssize_t i = 0; i < length; i++) {
      if (is_start)
        counts = text[i] != 'V' && text[i] != '0';
      is_start = text[i] == '\n';
      answers -= is_start && counts;
    }
  }
}

int main(int argc, char **argv) {
  int port = size_given(argc, argv);
  long requests = argc > 2 ? atol(argv[2]) : 100000;
  int connections[CONNECTIONS];
  static char text[BATCH * 256];
  if (requests == 0) {
    send_all(connection_to(port), "shutdown\r\n", 10);
    return 0;
  }
  for (int i = 0; i < CONNECTIONS; i++)
    connections[i] = connection_to(port);
  for (int i = 0; i < 10; i++) {
    send_all(connections[0], text, (size_t)sprintf(text, "set counter-%d 0 0 1\r\n1\r\n", i));
    receive_answers(connections[0], 1);
  }
  long long start = nanoseconds();
  unsigned random = 1;
  long answered = 0;
  while (answered < requests) {
    for (int i = 0; i < CONNECTIONS; i++) {
      int length = 0;
      for (int k = 0; k < BATCH; k++) {
        random = random * 1103515245 + 12345;
        length += put_request(text + length, random >> 8);
      }
      send_all(connections[i], text, (size_t)length);
    }
    for (int i = 0; i < CONNECTIONS; i++)
      receive_answers(connections[i], BATCH);
    answered += CONNECTIONS * BATCH;
  }
  report(answered, start);
  return 0;
}
