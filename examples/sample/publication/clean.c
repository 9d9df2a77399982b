/*
 * Sessions that are made without a lock, put into a table with one, and then only read, by everybody, without it.
 *
 * No race: a session is written to before anybody else can find it.
 */
#include "../server.h"

#define USERS 1000

struct session {
  unsigned user;
  char greeting[64];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions[USERS];

static struct session *new_session(unsigned user) {
  struct session *session = malloc(sizeof *session);
  session->user = user;
  *put_number(put_text(session->greeting, "welcome back, dear user number "), user) = '\0';
  return session;
}

/* Whoever was here first has made it. */
static const struct session *session_of(unsigned user) {
  pthread_mutex_lock(&lock);
  struct session *session = sessions[user];
  pthread_mutex_unlock(&lock);
  if (session != NULL)
    return session;
  session = new_session(user);
  pthread_mutex_lock(&lock);
  if (sessions[user] == NULL)
    sessions[user] = session;
  else
    free(session);
  session = sessions[user];
  pthread_mutex_unlock(&lock);
  return session;
}

static void *serve(void *argument) {
  struct client *client = argument;
  struct request request;
  char text[LONGEST_ANSWER];
  while (next_request(client, &request)) {
    unsigned length = write_answer(&request, text);
    const struct session *session = session_of(request.user);
    for (const char *at = session->greeting; *at != '\0'; at++)
      client->sum = client->sum * 31 + (unsigned char)*at;
    send_answer(client, text, length);
  }
  return NULL;
}

int main(int argc, char **argv) { return run_server(argc, argv, serve); }
