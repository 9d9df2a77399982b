/*
 * Signals in a tight loop that interrupt locks, allocations and copies, with handlers that lock and
 * post themselves. Says how often the handlers ran and that nothing was lost: the same natively.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "named.h"

#define ROUNDS 20000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t handled;
static atomic_int posts, stop, values;
static __thread int in_handler;

static void on_signal(int number, siginfo_t *info, void *context) {
  int error = errno;
  MUST(number == SIGUSR1 && context != NULL);
  MUST(info->si_code == SI_TKILL || info->si_code == SI_QUEUE);
  MUST(!in_handler); /* it is blocked while it runs */
  in_handler = 1;
  sem_post(&handled);
  posts++;
  in_handler = 0;
  errno = error;
}

static void on_value(int number, siginfo_t *info, void *context) {
  (void)context;
  MUST(number == SIGRTMIN + 3 && info->si_code == SI_QUEUE);
  values += info->si_value.sival_int;
}

static void *work(void *unused) {
  char text[64];
  while (!stop) {
    errno = 91;
    pthread_mutex_lock(&mutex);
    void *block = malloc(100);
    memset(block, 1, 100);
    pthread_mutex_unlock(&mutex);
    block = realloc(block, 300);
    strcpy(text, "some text");
    MUST(strlen(text) == 9 && errno == 91);
    free(block);
  }
  return unused;
}

static sigjmp_buf outside;
static volatile int jumps;

static void jump_out(int number) {
  (void)number;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  jumps++;
  siglongjmp(outside, 1);
}

static jmp_buf inside;
static void jump_within(int number) {
  (void)number;
  if (setjmp(inside) == 0)
    longjmp(inside, 1);
  jumps++;
}

static void *nowhere = (void *)16;
static volatile int faults;
static void on_fault(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  MUST(info->si_addr == (void *)16);
  faults++;
  siglongjmp(outside, 2);
}

static volatile int once_only;
static void run_once_only(int number) { once_only += number == SIGUSR2; }

static void check_what_is_shown(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
  sigaddset(&action.sa_mask, SIGHUP);
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  MUST(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_sigaction == on_signal);
  MUST((old.sa_flags & (SA_SIGINFO | SA_RESTART | SA_RESETHAND)) == (SA_SIGINFO | SA_RESTART));
  MUST(sigismember(&old.sa_mask, SIGHUP) && !sigismember(&old.sa_mask, SIGINT));
  MUST(signal(SIGHUP, run_once_only) == SIG_DFL && signal(SIGHUP, SIG_IGN) == run_once_only);
  MUST(signal(SIGHUP, SIG_DFL) == SIG_IGN && signal(SIGKILL, run_once_only) == SIG_ERR);
  action = (struct sigaction){.sa_handler = run_once_only, .sa_flags = SA_RESETHAND};
  MUST(sigaction(SIGUSR2, &action, NULL) == 0);
  MUST(sigaction(SIGUSR2, NULL, &old) == 0 && (old.sa_flags & SA_RESETHAND));
  raise(SIGUSR2);
  MUST(once_only == 1);
  MUST(sigaction(SIGUSR2, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
  MUST(sigaction(SIGUSR1, NULL, NULL) == 0 && sigaction(0, NULL, &old) == -1 && errno == EINVAL);
}

int main(void) {
  sem_init(&handled, 0, 0);
  check_what_is_shown();
  struct sigaction queued = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGRTMIN + 3, &queued, NULL);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, work, NULL) == 0);
  for (int i = 0; i < ROUNDS; i++) {
    MUST(pthread_kill(thread, SIGUSR1) == 0);
    while (pthread_sigqueue(thread, SIGRTMIN + 3, (union sigval){.sival_int = 1}) == EAGAIN)
      usleep(100);
    while (sem_wait(&handled) != 0)
      MUST(errno == EINTR);
  }
  stop = 1;
  MUST(pthread_join(thread, NULL) == 0);
  printf("%d handled, %d values\n", posts, values);

  signal(SIGALRM, jump_out);
  signal(SIGWINCH, jump_within);
  struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &fault, NULL);
  for (volatile int i = 0; i < 1000; i++) {
    if (sigsetjmp(outside, 1) == 0)
      raise(SIGALRM);
    raise(SIGWINCH);
    if (sigsetjmp(outside, 1) == 0)
      memset(*(void *volatile *)&nowhere, 0, 8);
    pthread_mutex_lock(&mutex);
    free(malloc(10));
    pthread_mutex_unlock(&mutex);
  }
  printf("%d jumps, %d faults\n", jumps, faults);

  /* A timer, so that signals come anywhere at all. */
  signal(SIGPROF, run_once_only);
  setitimer(ITIMER_PROF, &(struct itimerval){{0, 100}, {0, 100}}, NULL);
  for (int i = 0; i < 300000; i++) {
    pthread_mutex_lock(&mutex);
    free(malloc(10 + (size_t)i % 100));
    pthread_mutex_unlock(&mutex);
  }
  setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  printf("done\n");
  return 0;
}
