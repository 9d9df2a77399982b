/* Threads and processes as they come and go; the argument says which. Exits with 7 if all went well. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "../../include/deadheat.h"
#include "sample-now.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int set, is_ready;

static void sampled_with_lock(void) {
  pthread_mutex_lock(&mutex);
  sample_now();
  pthread_mutex_unlock(&mutex);
}

static void nothing(void) {}

static void *meet(void *argument) {
  sampled_with_lock();
  sem_post(&semaphore);
  sample_now(); /* without one, there would be nothing to tell */
  pthread_barrier_wait(&barrier);
  sample_now();
  pthread_once(&once, nothing);
  pthread_mutex_lock(&mutex);
  is_ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  sample_now();
  struct epoll_event event = {.events = EPOLLOUT, .data.u64 = 42};
  epoll_ctl(set, EPOLL_CTL_ADD, eventfd(0, 0), &event);
  return argument;
}

static void threads(void) {
  pthread_t thread;
  struct epoll_event event;
  set = epoll_create1(0);
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, meet, NULL);
  while (sem_trywait(&semaphore) != 0 && !is_ready) {
    pthread_mutex_unlock(&mutex);
    sem_wait(&semaphore);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    while (!is_ready)
      pthread_cond_wait(&condition, &mutex);
    sample_now();
    break;
  }
  pthread_mutex_unlock(&mutex);
  if (epoll_wait(set, &event, 1, -1) != 1)
    exit(1);
  pthread_join(thread, NULL);
}

/* Nobody waits, and nothing is handed over but by the mutex. */
static void *put_and_signal(void *argument) {
  for (int i = 0; i < 1000; i++) {
    if (i == 500)
      sample_now();
    pthread_mutex_lock(&mutex);
    is_ready = i;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  sem_post(&semaphore);
  return argument;
}

static void hand_over(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, NULL, put_and_signal, NULL);
  for (int is_there = 0; !is_there;) {
    pthread_mutex_lock(&mutex);
    is_there = is_ready == 999;
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  sample_now();
  pthread_join(thread, NULL);
}

static int begin_c11(void *argument) {
  sampled_with_lock();
  return argument == NULL ? 5 : 6;
}

static void c11(void) {
  thrd_t thread;
  int result = 0;
  if (thrd_create(&thread, begin_c11, NULL) != thrd_success)
    exit(1);
  thrd_join(thread, &result);
  if (result != 5)
    exit(1);
}

static void unlock(void *argument) {
  sample_now(); /* cancelled in the wait, it has the mutex again */
  pthread_mutex_unlock(argument);
}

static void *wait_forever(void *argument) {
  pthread_mutex_lock(&mutex);
  sem_post(&semaphore);
  pthread_cleanup_push(unlock, &mutex);
  for (;;)
    pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return argument;
}

static void cancel(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, NULL, wait_forever, NULL);
  sem_wait(&semaphore);
  pthread_mutex_lock(&mutex); /* it waits by now */
  pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  sampled_with_lock();
}

static void *die_holding(void *robust) {
  pthread_mutex_lock(robust);
  sample_now();
  return robust;
}

/* Its owner has died: whoever asks then is told so, and has it. */
static void robust(void) {
  static pthread_mutex_t lock;
  pthread_mutexattr_t attributes;
  pthread_t thread;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  pthread_create(&thread, NULL, die_holding, &lock);
  pthread_join(thread, NULL);
  if (pthread_mutex_lock(&lock) != EOWNERDEAD)
    exit(1);
  sample_now();
  pthread_mutex_unlock(&lock); /* without having been made consistent: nobody gets it any more */
  if (pthread_mutex_lock(&lock) != ENOTRECOVERABLE)
    exit(1);
  sample_now();
}

static void *churn(void *argument) {
  static __thread void *kept[3000];
  for (int i = 0; i < 30000; i++) {
    free(kept[i % 3000]);
    kept[i % 3000] = malloc(20);
  }
  sampled_with_lock();
  return argument;
}

/* A server that is started as root, and goes on as nobody: with threads that were there, and new ones. */
static void becomes_nobody(void) {
  pthread_t thread;
  if (setgid(65534) != 0 || setuid(65534) != 0)
    exit(1);
  churn(NULL);
  pthread_create(&thread, NULL, churn, NULL);
  pthread_join(thread, NULL);
}

static void *idle(void *argument) { return argument; }

/* A thread and a process that do nothing. */
static void idlers(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, idle, NULL);
  pthread_join(thread, NULL);
  if (fork() == 0)
    _exit(0);
  wait(NULL);
}

static void reap(pid_t child, int wanted) {
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != wanted)
    exit(1);
}

static void forks(char *self) {
  sample_now();
  pthread_mutex_lock(&mutex);
  pid_t child = fork();
  if (child == 0) {
    sample_now(); /* it holds what its parent held */
    pthread_mutex_unlock(&mutex);
    free(malloc(10));
    char *arguments[] = {self, "once", NULL};
    execv(self, arguments);
    _exit(9);
  }
  pthread_mutex_unlock(&mutex);
  reap(child, 7);
  child = vfork();
  if (child == 0) {
    execl(self, self, "once", NULL);
    _exit(9);
  }
  reap(child, 7);
  child = (pid_t)syscall(SYS_fork); /* no handlers of pthread_atfork */
  if (child == 0) {
    sampled_with_lock();
    _exit(8);
  }
  reap(child, 8);
  sampled_with_lock();
}

/* More than a sample tells of, and one that this thread never had, which it lets go as often. */
static void many_locks(void) {
  static char locks[DH_LOCKS_MAX + 4], others;
  for (int i = 0; i < DH_LOCKS_MAX + 4; i++)
    deadheat_lock(&locks[i]);
  for (int i = 0; i < 4; i++)
    deadheat_unlock(&others);
  sample_now();
  for (int i = 0; i < 4; i++)
    deadheat_unlock(&locks[i]);
  sample_now();
}

static sigjmp_buf back;
static volatile sig_atomic_t jumps;

static void jump_back(int number) {
  jumps++;
  siglongjmp(back, number);
}

/* Out of whatever a signal interrupts, which is logging, mostly: more semaphores than are followed are always logged. */
static void jumps_out(void) {
  static sem_t many[4096];
  const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
  sem_init(&semaphore, 0, 0);
  signal(SIGALRM, jump_back);
  setitimer(ITIMER_REAL, &often, NULL);
  sigsetjmp(back, 1);
  for (volatile unsigned i = 0; jumps < 200; i++)
    sem_post(&many[i % 4096]), sem_trywait(&many[i % 4096]);
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_IGN);
  sem_post(&semaphore);
  sampled_with_lock();
}

static void *let_go(void *lock) {
  pthread_mutex_unlock(lock);
  return NULL;
}

/* By another thread than the one that took it. */
static void foreign_unlock(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, let_go, &mutex);
  pthread_join(thread, NULL);
}

/* Held once, twice, once again, not at all; then by another way. */
static void streams(void) {
  flockfile(stdout);
  sample_now();
  flockfile(stdout);
  funlockfile(stdout);
  sample_now();
  funlockfile(stdout);
  sample_now();
  if (ftrylockfile(stdout) != 0)
    exit(1);
  sample_now();
  funlockfile(stdout);
}

/* One more than have numbers. */
static void too_many(void) {
  pthread_t thread;
  for (int i = 0; i < DH_THREADS_MAX; i++) {
    if (i == DH_THREADS_MAX - 1)
      sampled_with_lock();
    pthread_create(&thread, NULL, idle, NULL);
    pthread_join(thread, NULL);
  }
  sampled_with_lock();
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "threads") == 0)
    threads();
  else if (strcmp(what, "hand-over") == 0)
    hand_over();
  else if (strcmp(what, "c11") == 0)
    c11();
  else if (strcmp(what, "cancel") == 0)
    cancel();
  else if (strcmp(what, "jumps-out") == 0)
    jumps_out();
  else if (strcmp(what, "foreign-unlock") == 0)
    foreign_unlock();
  else if (strcmp(what, "streams") == 0)
    streams();
  else if (strcmp(what, "idlers") == 0)
    idlers();
  else if (strcmp(what, "many-locks") == 0)
    many_locks();
  else if (strcmp(what, "too-many") == 0)
    too_many();
  else if (strcmp(what, "robust") == 0)
    robust();
  else if (strcmp(what, "becomes-nobody") == 0)
    becomes_nobody();
  else if (strcmp(what, "forks") == 0)
    forks(argv[0]);
  else
    sampled_with_lock();
  return 7;
}
