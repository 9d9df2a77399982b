/* A program that does everything there is to signals, ours included. Exits with 7 if all is as it should be. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "sample-now.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int handled;
static jmp_buf back;

#define CHECK(condition)                                                                           \
  if (!(condition)) {                                                                              \
    printf("line %d: %s\n", __LINE__, #condition);                                                 \
    exit(1);                                                                                       \
  }

static void count(int number) {
  (void)number;
  handled++;
  sample_now(); /* with what the interrupted code holds */
}

static void jump(int number) {
  (void)number;
  sample_now();
  longjmp(back, 1); /* not siglongjmp: what was blocked stays blocked */
}

/* SIGIO is the program's own, with whatever it waits for. */
static void own_sigio(void) {
  int ends[2];
  char byte = 1;
  struct sigaction action = {.sa_handler = count};
  sigfillset(&action.sa_mask);
  CHECK(sigaction(SIGIO, &action, NULL) == 0);
  CHECK(pipe(ends) == 0);
  fcntl(ends[0], F_SETOWN, getpid());
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  CHECK(write(ends[1], &byte, 1) == 1);
  CHECK(handled == 1);
}

static void blocks_all(void) {
  sigset_t all, before, now;
  sigfillset(&all);
  CHECK(sigprocmask(SIG_SETMASK, &all, &before) == 0);
  sample_now();
  CHECK(pthread_sigmask(SIG_BLOCK, &all, &now) == 0);
  CHECK(sigismember(&now, SIGTERM) && sigismember(&now, SIGIO));
  sample_now();
  /* What is pending is waited for, and ours is none of it. */
  raise(SIGUSR1);
  sample_now();
  int number = 0;
  CHECK(sigwait(&all, &number) == 0 && number == SIGUSR1);
  raise(SIGUSR2);
  siginfo_t info;
  CHECK(sigwaitinfo(&all, &info) == SIGUSR2);
  struct timespec none = {0, 0};
  CHECK(sigtimedwait(&all, &info, &none) == -1 && errno == EAGAIN);
  int fd = signalfd(-1, &all, SFD_NONBLOCK);
  struct signalfd_siginfo found;
  sample_now();
  CHECK(read(fd, &found, sizeof found) == -1 && errno == EAGAIN);
  raise(SIGUSR1);
  CHECK(read(fd, &found, sizeof found) == sizeof found && found.ssi_signo == SIGUSR1);
  CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
}

/* It is told that it handles our signal, and finds what it has asked for. */
static void handles_ours(void) {
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART}, old;
  int before = handled;
  CHECK(sigaction(DH_SAMPLING_SIGNAL, &action, NULL) == 0);
  CHECK(sigaction(DH_SAMPLING_SIGNAL, NULL, &old) == 0 && old.sa_handler == count);
  sample_now();
  CHECK(handled == before);
  CHECK(signal(DH_SAMPLING_SIGNAL, SIG_IGN) == count);
  CHECK(signal(DH_SAMPLING_SIGNAL, SIG_DFL) == SIG_IGN);
  sample_now();
}

static void jumps_out(void) {
  struct sigaction action = {.sa_handler = jump, .sa_flags = SA_NODEFER};
  sigfillset(&action.sa_mask);
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
  pthread_mutex_lock(&mutex);
  if (setjmp(back) == 0)
    raise(SIGUSR2);
  sample_now();
  pthread_mutex_unlock(&mutex);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Out of a lock operation: it was interrupted while it waited for a lock that nobody gives back. */
static void jumps_out_of_lock(void) {
  static pthread_mutex_t stuck = PTHREAD_MUTEX_INITIALIZER;
  struct sigaction action = {.sa_handler = jump};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  pthread_mutex_lock(&stuck);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  struct itimerspec soon = {.it_value = {0, 20000000}};
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  if (setjmp(back) == 0) {
    timer_settime(timer, 0, &soon, NULL);
    pthread_mutex_lock(&stuck);
    CHECK(0);
  }
  sample_now();
  pthread_mutex_unlock(&stuck);
  pthread_mutex_lock(&mutex);
  sample_now();
  pthread_mutex_unlock(&mutex);
}

static void *take_sample(void *unused) {
  sample_now();
  return unused;
}

/* A thread that is made with all signals blocked. */
static void begins_blocked(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setsigmask_np(&attributes, &all) == 0);
  CHECK(pthread_create(&thread, &attributes, take_sample, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
  own_sigio();
  blocks_all();
  handles_ours();
  jumps_out();
  jumps_out_of_lock();
  begins_blocked();
  printf("%d\n", handled);
  return 7;
}
