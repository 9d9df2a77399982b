/*
 * What the servers of these examples have in common. Nobody is connected to them: each client is a thread that makes
 * up a request, has it parsed, looks up the page and writes an answer, about a microsecond's work, and what the example
 * is about comes on top of that.
 *
 *   statistics 5           serves for 5 seconds, and prints `done`
 *   statistics 60 100000   serves 100000 requests for each client, but for no longer than 60 seconds, and prints what
 *                          came of it and how many nanoseconds it took
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLIENTS 2
#define PAGES 64
#ifndef BODY
#define BODY 192 /* bytes of a page */
#endif
#define LONGEST_LINE 64
#define LONGEST_ANSWER (2 * BODY + 128)

/* A cache line for each: they are not what threads share. */
struct client {
  _Alignas(64) unsigned number;
  unsigned random;
  unsigned long served;
  /* Of all answers: what a client would have got. */
  unsigned long sum;
};

struct request {
  char line[LONGEST_LINE];
  unsigned page;
  unsigned user;
};

struct page {
  char path[16];
  char body[BODY];
};

/* Written before there are threads. */
static struct page pages[PAGES];
static time_t end_of_service;
static unsigned long most_requests;

static inline unsigned next_random(struct client *client) {
  client->random = client->random * 1103515245 + 12345;
  return client->random >> 16;
}

static inline char *put_number(char *to, unsigned number) {
  char digits[12];
  int count = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0)
    *to++ = digits[--count];
  return to;
}

static inline char *put_text(char *to, const char *text) {
  while (*text != '\0')
    *to++ = *text++;
  return to;
}

/* `GET /page/17?user=42 HTTP/1.1`, and what is to be understood of it. */
static inline void receive(struct client *client, struct request *request) {
  char *to = put_text(request->line, "GET ");
  to = put_text(to, pages[next_random(client) % PAGES].path);
  to = put_number(put_text(to, "?user="), next_random(client) % 1000);
  *put_text(to, " HTTP/1.1") = '\0';
  const char *at = request->line;
  unsigned numbers[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    while (*at < '0' || *at > '9')
      at++;
    while (*at >= '0' && *at <= '9')
      numbers[i] = numbers[i] * 10 + (unsigned)(*at++ - '0');
  }
  request->page = numbers[0] % PAGES;
  request->user = numbers[1];
}

/* Whether there was another one. */
static inline int next_request(struct client *client, struct request *request) {
  if (time(NULL) >= end_of_service || (most_requests > 0 && client->served >= most_requests))
    return 0;
  client->served++;
  receive(client, request);
  return 1;
}

/* The page for this user, with `&` where it has to be written otherwise; how long that is. */
static inline unsigned write_answer(const struct request *request, char *text) {
  char *to = put_number(put_text(text, "HTTP/1.1 200 OK\r\nuser: "), request->user);
  to = put_text(to, "\r\n\r\n");
  for (const char *from = pages[request->page].body; *from != '\0'; from++)
    to = *from == '<' ? put_text(to, "&lt;") : (*to = *from, to + 1);
  return (unsigned)(to - text);
}

static inline void send_answer(struct client *client, const char *text, unsigned length) {
  unsigned long sum = client->sum;
  for (unsigned i = 0; i < length; i++)
    sum = sum * 31 + (unsigned char)text[i];
  client->sum = sum;
}

static inline void set_up(int argc, char **argv) {
  for (unsigned i = 0; i < PAGES; i++) {
    *put_number(put_text(pages[i].path, "/page/"), i) = '\0';
    for (unsigned k = 0; k < BODY - 1; k++)
      pages[i].body[k] = k % 40 == i % 40 ? '<' : (char)('a' + (i + k) % 26);
  }
  end_of_service = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  most_requests = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
}

static inline long long nanoseconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Has each client served by a thread, and says that it is done: or, of so many requests, how long it took, and how much
   processor time. */
static inline int run_server(int argc, char **argv, void *(*serve)(void *client)) {
  static struct client clients[CLIENTS];
  pthread_t threads[CLIENTS];
  set_up(argc, argv);
  long long start = nanoseconds_of(CLOCK_MONOTONIC);
  for (unsigned i = 0; i < CLIENTS; i++) {
    clients[i] = (struct client){.number = i, .random = i + 1};
    pthread_create(&threads[i], NULL, serve, &clients[i]);
  }
  unsigned long sum = 0;
  for (unsigned i = 0; i < CLIENTS; i++) {
    pthread_join(threads[i], NULL);
    sum += clients[i].sum % 1000000007;
  }
  if (most_requests > 0)
    printf("%lu %lld %lld\n", sum, nanoseconds_of(CLOCK_MONOTONIC) - start,
           nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID));
  else
    printf("done\n");
  return 0;
}
