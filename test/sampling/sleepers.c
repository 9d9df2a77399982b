/*
 * Threads that wait, each in a call of its own that a signal would end, until somebody writes to the program. Each
 * says which call, and in which thread; an argument names one that is to be the only one. A call may only end by the program's own signal, SIGWINCH. Exits with 7.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static const struct timespec hour = {3600, 0};
static struct timespec in_an_hour;
static sem_t never;
static int epoll;

static int in_pause(void) { return pause(); }
static int in_nanosleep(void) { return nanosleep(&hour, NULL); }
static int in_sleep(void) { return sleep(3600) == 0 ? 0 : -1; }
static int in_poll(void) { return poll(NULL, 0, 3600000); }
static int in_ppoll(void) { return ppoll(NULL, 0, &hour, NULL); }
static int in_epoll(void) {
  struct epoll_event event;
  return epoll_wait(epoll, &event, 1, 3600000);
}
static int in_select(void) {
  struct timeval limit = {3600, 0};
  return select(0, NULL, NULL, NULL, &limit);
}
static int in_sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  return sigsuspend(&none);
}
static int in_sigtimedwait(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  return sigtimedwait(&set, NULL, &hour);
}
static int in_semaphore(void) { return sem_timedwait(&never, &in_an_hour); }

static const struct call {
  const char *name;
  int (*wait)(void);
} calls[] = {
    {"pause", in_pause},         {"nanosleep", in_nanosleep},     {"sleep", in_sleep},
    {"poll", in_poll},           {"ppoll", in_ppoll},             {"epoll_wait", in_epoll},
    {"select", in_select},       {"sigsuspend", in_sigsuspend},   {"sigtimedwait", in_sigtimedwait},
    {"sem_timedwait", in_semaphore},
};
#define CALLS (sizeof calls / sizeof calls[0])

static volatile int is_over;

static void *wait_in(void *argument) {
  const struct call *call = argument;
  printf("%s %d\n", call->name, gettid());
  int result = call->wait();
  printf("%s returned %d, errno %d\n", call->name, result, errno);
  if (!is_over)
    exit(1);
  return NULL;
}

static void handle(int number) {
  (void)number;
  is_over = 1;
}

int main(int count, char **arguments) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGWINCH, &action, NULL);
  clock_gettime(CLOCK_REALTIME, &in_an_hour);
  in_an_hour.tv_sec += hour.tv_sec;
  sem_init(&never, 0, 0);
  epoll = epoll_create1(0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < CALLS; i++) {
    pthread_t thread;
    if (count > 1 && strcmp(arguments[1], calls[i].name) != 0)
      continue;
    if (pthread_create(&thread, NULL, wait_in, (void *)&calls[i]) != 0)
      return 2;
  }
  char byte;
  return read(0, &byte, 1) == 1 ? 7 : 3;
}
