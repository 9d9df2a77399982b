/*
 * What threads do in an order that a schedule gives: `orders NAME`. They note who comes when in one string,
 * which the program prints at its end. Nothing here sleeps in the hope that somebody else is faster.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "named.h"

static char noted[256];
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;
static char *note_end = noted;

/* Whoever comes here has its turn, and is alone. */
static void note(const char *what) {
  char *at = __atomic_fetch_add(&note_end, strlen(what) + 1, __ATOMIC_SEQ_CST);
  memcpy(at, what, strlen(what));
  at[strlen(what)] = ' ';
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int items, takes_other;

typedef void *(*routine)(void *);
static pthread_t started[2];

static void start(routine first, routine second) {
  MUST(pthread_create(&started[0], NULL, first, "a") == 0);
  MUST(pthread_create(&started[1], NULL, second, "b") == 0);
}
static void join(void) {
  for (int i = 0; i < 2; i++)
    MUST(pthread_join(started[i], NULL) == 0);
}
static void both(routine run) {
  start(run, run);
  join();
}

static void *locks(void *name) {
  pthread_mutex_lock(&m);
  note(name);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void *locks_other(void *name) {
  pthread_mutex_t *own = takes_other && *(char *)name == 'b' ? &n : &m;
  pthread_mutex_lock(own);
  note(name);
  pthread_mutex_unlock(own);
  return NULL;
}

static void *spins(void *name) {
  pthread_spin_lock(&spin);
  note(name);
  pthread_spin_unlock(&spin);
  return NULL;
}

static void *consumes(void *name) {
  pthread_mutex_lock(&m);
  while (items == 0)
    MUST(pthread_cond_wait(&c, &m) == 0);
  items--;
  note(name);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void produces(void) {
  start(consumes, consumes);
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
  join();
}

static void *reads(void *name) {
  pthread_rwlock_rdlock(&rw);
  note(name);
  pthread_rwlock_unlock(&rw);
  return NULL;
}
static void *writes(void *name) {
  pthread_rwlock_wrlock(&rw);
  note(name);
  pthread_rwlock_unlock(&rw);
  return NULL;
}

static void *waits(void *name) {
  errno = 79;
  MUST(sem_wait(&semaphore) == 0 && errno == 79);
  note(name);
  return NULL;
}

static void *meets(void *name) {
  pthread_barrier_wait(&barrier);
  note(name);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void run_once(void) { note("once"); }
static void *is_once(void *name) {
  note(name);
  pthread_once(&once, run_once);
  return NULL;
}

static void *recurses(void *name) {
  pthread_mutex_lock(&n);
  pthread_mutex_lock(&n);
  note(name);
  pthread_mutex_unlock(&n);
  note(name);
  pthread_mutex_unlock(&n);
  return NULL;
}

/* Tries until it is let in. */
static void *tries(void *name) {
  while (pthread_mutex_trylock(&m) != 0)
    ;
  note(name);
  pthread_mutex_unlock(&m);
  return NULL;
}

/* Is refused once, and goes on with something else. */
static void *is_refused(void *name) {
  note(pthread_mutex_trylock(&m) == EBUSY ? "refused" : "got");
  pthread_mutex_lock(&n);
  note(name);
  pthread_mutex_unlock(&n);
  return NULL;
}

static void *lapses(void *name) {
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  pthread_mutex_lock(&m);
  note(pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT ? "lapsed" : "woken");
  note(name);
  pthread_mutex_unlock(&m);
  return NULL;
}
static void *clock_lapses(void *name) {
  struct timespec soon;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  pthread_mutex_lock(&m);
  note(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &soon) == ETIMEDOUT ? "lapsed" : "woken");
  note(name);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void unlock(void *locked) {
  note("cleanup");
  pthread_mutex_unlock(locked);
}
static void *is_cancelled(void *unused) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(unlock, &m);
  for (;;)
    pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(1);
  return unused;
}
static void *is_cancelled_at_semaphore(void *unused) {
  note("waits");
  sem_wait(&semaphore);
  return unused;
}
static void cancel(routine run) {
  void *result;
  MUST(pthread_create(&started[0], NULL, run, NULL) == 0);
  MUST(pthread_cancel(started[0]) == 0);
  MUST(pthread_join(started[0], &result) == 0 && result == PTHREAD_CANCELED);
  note("joined");
}

/* The child has a copy of everything but the other threads. */
static void forks(void) {
  pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) {
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    locks("child");
    _exit(strcmp(noted, "child ") == 0 ? 3 : 4);
  }
  int status;
  MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
  both(locks);
}

static void handle(int number) {
  (void)number;
  note("handled");
  MUST(write(1, "!\n", 2) == 2);
}
/* Held back for ever, it still has its signals. */
static void *is_signalled(void *unused) {
  signal(SIGUSR1, handle);
  locks("signalled");
  return unused;
}

/* Not to be restarted. */
static void is_interrupted(void) {
  sem_init(&semaphore, 0, 0);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle}, NULL);
  note(sem_wait(&semaphore) == -1 && errno == EINTR ? "interrupted" : "through");
}

/* Sections of two mutexes, three of each by each of two threads. */
static void *alternates(void *name) {
  for (int i = 0; i < 3; i++) {
    locks(name);
    pthread_mutex_lock(&n);
    note(*(char *)name == 'a' ? "A" : "B");
    pthread_mutex_unlock(&n);
  }
  return NULL;
}

static mtx_t mutex;
static cnd_t condition;
static int c11_consumes(void *name) {
  mtx_lock(&mutex);
  while (items == 0)
    cnd_wait(&condition, &mutex);
  items--;
  note(name);
  mtx_unlock(&mutex);
  return 7;
}
static void c11(void) {
  thrd_t threads[2];
  int result;
  mtx_init(&mutex, mtx_plain), cnd_init(&condition);
  MUST(thrd_create(&threads[0], c11_consumes, "a") == thrd_success);
  MUST(thrd_create(&threads[1], c11_consumes, "b") == thrd_success);
  mtx_lock(&mutex);
  items = 2;
  cnd_broadcast(&condition);
  mtx_unlock(&mutex);
  for (int i = 0; i < 2; i++)
    MUST(thrd_join(threads[i], &result) == thrd_success && result == 7);
}

/* Two threads that each start another: numbers do not depend on who is first. */
static void *starts(void *name) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, locks, *(char *)name == 'a' ? "a's" : "b's") == 0);
  MUST(pthread_join(thread, NULL) == 0);
  return NULL;
}

int main(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : "";
#define CASE(word) else if (strcmp(name, word) == 0)
  if (count > 2)
    takes_other = 1;
  if (strcmp(name, "mutex") == 0)
    both(locks);
  CASE("other") both(locks_other);
  CASE("spin") {
    pthread_spin_init(&spin, 0);
    both(spins);
  }
  CASE("condition") produces();
  CASE("rwlock") {
    start(reads, writes);
    join();
  }
  CASE("semaphore") {
    sem_init(&semaphore, 0, 0);
    start(waits, waits);
    sem_post(&semaphore), sem_post(&semaphore);
    join();
  }
  CASE("barrier") {
    pthread_barrier_init(&barrier, NULL, 2);
    both(meets);
  }
  CASE("once") both(is_once);
  CASE("recursive") {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&n, &attributes);
    both(recurses);
  }
  CASE("tries") both(tries);
  CASE("refused") {
    pthread_mutex_lock(&m);
    both(is_refused);
    pthread_mutex_unlock(&m);
  }
  CASE("lapses") {
    start(lapses, clock_lapses);
    join();
  }
  CASE("cancel") cancel(is_cancelled);
  CASE("cancel-semaphore") {
    sem_init(&semaphore, 0, 0);
    cancel(is_cancelled_at_semaphore);
  }
  CASE("fork") forks();
  CASE("signal") {
    start(is_signalled, locks);
    join();
  }
  CASE("interrupted") is_interrupted();
  CASE("alternates") both(alternates);
  CASE("c11") c11();
  CASE("starts") both(starts);
  pthread_mutex_lock(&noting);
  pthread_mutex_unlock(&noting);
  puts(noted);
  return 5;
}
