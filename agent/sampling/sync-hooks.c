/*
 * Semaphores, barriers, pthread_once and what a program says of itself (include/deadheat.h).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "../real.h"
#include "blocks.h"
#include "locks.h"
#include "sync.h"

#define ACQUIRES(name, parameters, arguments)                                                      \
  DH_REAL(int, name, parameters, arguments)                                                        \
  DH_HOOK int name parameters {                                                                    \
    int result = real_##name arguments;                                                            \
    if (result == 0)                                                                               \
      dh_acquire(DH_OP_WAIT_DONE, semaphore, 0);                                                   \
    return result;                                                                                 \
  }

typedef const struct timespec *deadline;

ACQUIRES(sem_wait, (sem_t * semaphore), (semaphore))
ACQUIRES(sem_trywait, (sem_t * semaphore), (semaphore))
ACQUIRES(sem_timedwait, (sem_t * semaphore, deadline until), (semaphore, until))
ACQUIRES(sem_clockwait, (sem_t * semaphore, clockid_t clock, deadline until),
         (semaphore, clock, until))

DH_REAL(int, sem_post, (sem_t * semaphore), (semaphore))
DH_HOOK int sem_post(sem_t *semaphore) {
  dh_release(DH_OP_POST, semaphore);
  return real_sem_post(semaphore);
}

/* The barrier may be gone when the wait is over: only its address is used then. */
DH_REAL(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))
DH_HOOK int pthread_barrier_wait(pthread_barrier_t *barrier) {
  dh_release(DH_OP_ARRIVE, barrier);
  int result = real_pthread_barrier_wait(barrier);
  dh_acquire(DH_OP_LEAVE, barrier, 0);
  return result;
}

/*
 * One thread runs the routine, the others pass when it has been run. The real function is given a routine of our
 * own, which takes no argument, so the thread remembers what it is to run.
 */
struct dh_once {
  struct dh_once *outer; /* a routine may itself call pthread_once */
  const void *object;
  void (*routine)(void);
  int ran;
};

static void run_once(void) {
  struct dh_once *once = dh_thread.once;
  once->ran = 1;
  once->routine();
  dh_release(DH_OP_ONCE_END, once->object);
}

#define ONCE(call)                                                                                 \
  struct dh_once once = {dh_thread.once, object, routine, 0};                                      \
  dh_thread.once = &once;                                                                          \
  call;                                                                                            \
  dh_thread.once = once.outer;                                                                     \
  if (!once.ran)                                                                                   \
    dh_acquire(DH_OP_ONCE_PASS, object, 0);

DH_REAL(int, pthread_once, (pthread_once_t * object, void (*routine)(void)), (object, routine))
DH_HOOK int pthread_once(pthread_once_t *object, void (*routine)(void)) {
  int result;
  ONCE(result = real_pthread_once(object, run_once))
  return result;
}

DH_REAL(void, call_once, (once_flag * object, void (*routine)(void)), (object, routine))
DH_HOOK void call_once(once_flag *object, void (*routine)(void)) {
  ONCE(real_call_once(object, run_once))
}

DH_HOOK void deadheat_lock_taken(const void *lock);
DH_HOOK void deadheat_lock_let_go(const void *lock);
DH_HOOK void deadheat_shared_lock_taken(const void *lock);
DH_HOOK void deadheat_shared_lock_let_go(const void *lock);
DH_HOOK void deadheat_message_sent(const void *channel);
DH_HOOK void deadheat_message_received(const void *channel);
DH_HOOK void deadheat_block_allocated(const void *at, size_t size);
DH_HOOK void deadheat_block_freed(const void *at);

/* Locks of one's own may lie anywhere, where bit 0 is not free for DH_SHARED: these get a name that is no address. */
static inline const void *name_of(const void *lock) {
  uintptr_t at = (uintptr_t)lock;
  return (const void *)(at & 1 ? (at ^ 1) | DH_ODD_LOCK : at);
}

static inline void took(const void *lock, uintptr_t shared) {
  dh_lock_begin();
  dh_lock_add(name_of(lock), shared);
  dh_lock_end();
}

static inline void let_go(const void *lock) {
  dh_lock_begin();
  dh_lock_remove(name_of(lock));
  dh_lock_end();
}

void deadheat_lock_taken(const void *lock) { took(lock, 0); }
void deadheat_lock_let_go(const void *lock) { let_go(lock); }
void deadheat_shared_lock_taken(const void *lock) { took(lock, DH_SHARED); }
void deadheat_shared_lock_let_go(const void *lock) { let_go(lock); }
void deadheat_message_sent(const void *channel) { dh_release(DH_OP_POST, channel); }
void deadheat_message_received(const void *channel) { dh_acquire(DH_OP_WAIT_DONE, channel, 0); }
void deadheat_block_allocated(const void *at, size_t size) { dh_block_allocated(at, size); }
void deadheat_block_freed(const void *at) { dh_block_freed(at); }
