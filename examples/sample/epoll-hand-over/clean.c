/*
 * Connections that are handed over by epoll, as in httpd's event module: whoever is told that there is something to do
 * for a connection has it for himself, and puts it back when he has answered.
 *
 * No race: a connection that was put back is told of once, to whoever comes next.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "../server.h"

#define CONNECTIONS 4

struct connection {
  int descriptor;
  struct client state;
  struct request request;
  char text[LONGEST_ANSWER];
};

static int epoll;

static void put_back(struct connection *connection, int how) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = connection};
  epoll_ctl(epoll, how, connection->descriptor, &event);
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct epoll_event event;
  while (time(NULL) < end_of_service) {
    if (epoll_wait(epoll, &event, 1, 100) != 1)
      continue;
    struct connection *connection = event.data.ptr;
    /* A connection has several requests, one after the other. */
    for (int i = 0; i < 4 && next_request(&connection->state, &connection->request); i++) {
      unsigned length = write_answer(&connection->request, connection->text);
      send_answer(&connection->state, connection->text, length);
      client->served++;
    }
    put_back(connection, EPOLL_CTL_MOD);
    if (most_requests > 0 && client->served >= most_requests)
      break;
  }
  return NULL;
}

int main(int argc, char **argv) {
  static struct connection connections[CONNECTIONS];
  epoll = epoll_create1(0);
  for (unsigned i = 0; i < CONNECTIONS; i++) {
    connections[i].state.random = i + 1;
    /* There is always something to read. */
    connections[i].descriptor = eventfd(1, 0);
    put_back(&connections[i], EPOLL_CTL_ADD);
  }
  return run_server(argc, argv, serve);
}
