#define _GNU_SOURCE
#include "schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "process.h"
#include "syscalls.h"
#include "thread-numbers.h"

struct dh_schedule *dh_schedule;

static struct dh_scheduled_thread *slots;
static struct dh_scheduled_object *objects;
static const struct dh_step *steps;

#define FILE_NAME "schedule"
#define NAP 100000000 /* nanoseconds */
#define EVERYBODY 0xffffffffu

/* A try that is not the thread's next step. */
#define TRIED 0xffffffffu

/* ---- the file ---- */

static uint64_t size_of(const struct dh_schedule *schedule) {
  return sizeof *schedule + (uint64_t)schedule->threads * sizeof *slots +
         (uint64_t)schedule->objects * sizeof *objects +
         (uint64_t)schedule->steps * sizeof *steps;
}

static struct dh_schedule *map_file(uint64_t *size) {
  static char path[sizeof dh_process.folder]; /* not on the stack, which may be small */
  size_t length = dh_process.folder_length;
  for (size_t i = 0; i < length; i++)
    path[i] = dh_process.folder[i];
  for (size_t i = 0; i < sizeof FILE_NAME; i++)
    path[length + i] = FILE_NAME[i];
  long fd = DH_SYSCALL(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
  if (dh_failed(fd))
    return NULL;
  struct stat file;
  long mapped = -1;
  if (DH_SYSCALL(SYS_fstat, fd, &file, 0, 0) == 0 &&
      (size_t)file.st_size >= sizeof(struct dh_schedule))
    mapped = dh_syscall6(SYS_mmap, 0, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  *size = (uint64_t)file.st_size;
  return dh_failed(mapped) ? NULL : (struct dh_schedule *)mapped;
}

int dh_schedule_open(void) {
  uint64_t size;
  struct dh_schedule *found = map_file(&size);
  if (found == NULL)
    return 0;
  int usable = found->magic == DH_SCHEDULE_MAGIC && found->protocol == DH_PROTOCOL &&
               found->process == dh_process.number && size_of(found) <= size;
  if (!usable) {
    dh_unmap(found, size);
    return 0;
  }
  slots = (struct dh_scheduled_thread *)(found + 1);
  objects = (struct dh_scheduled_object *)(slots + found->threads);
  steps = (const struct dh_step *)(objects + found->objects);
  if (dh_process.threads < found->announced)
    dh_process.threads = found->announced;
  dh_schedule = found;
  return 1;
}

/* It stays mapped, but is the parent's alone. */
void dh_schedule_forked(void) { dh_schedule = NULL; }

static struct dh_scheduled_thread *slot_of(uint32_t number) {
  return number == 0 || number > dh_schedule->threads ? NULL : &slots[number - 1];
}

/* ---- waiting and waking ---- */

static uint64_t now(void) {
  struct timespec time = {0};
  DH_SYSCALL(SYS_clock_gettime, CLOCK_MONOTONIC, &time, 0, 0);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int dh_nap(const uint32_t *word, uint32_t seen, uint32_t bits) {
  uint64_t end = now() + NAP;
  struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
  return dh_syscall6(SYS_futex, (long)word, 9 /* FUTEX_WAIT_BITSET */, seen, (long)&until, 0,
                     bits) == -ETIMEDOUT;
}

static void wake_sleepers(uint32_t *word, uint32_t bits) {
  dh_syscall6(SYS_futex, (long)word, 10 /* FUTEX_WAKE_BITSET */, 0x7fffffff, 0, 0, bits);
}

static void wake(uint32_t *word, uint32_t bits) {
  __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
  wake_sleepers(word, bits);
}

static uint32_t bit_of(uint32_t thread) { return 1u << thread % 32; }

static int is_open(void) { return __atomic_load_n(&dh_schedule->open, __ATOMIC_ACQUIRE) != 0; }

static void open_gates(enum dh_open why) {
  uint32_t not_yet = DH_OPEN_NOT;
  __atomic_compare_exchange_n(&dh_schedule->open, &not_yet, why, 0, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
  wake(&dh_schedule->changes, EVERYBODY);
}

/* Nobody may wait for ever. */
static void open_if_left_alone(void) {
  if (DH_SYSCALL(SYS_kill, dh_schedule->pid, 0, 0, 0) == -ESRCH)
    open_gates(DH_OPEN_ORPHANED);
  else if (dh_schedule->deadline != 0 && now() > dh_schedule->deadline)
    open_gates(DH_OPEN_LATE);
}

/* Only the first divergence counts: what follows from it is of no interest. */
static void diverge(uint32_t thread, uint32_t turn, enum dh_op op, const void *object,
                    const void *caller) {
  uint32_t nobody = 0;
  if (is_open() || !__atomic_compare_exchange_n(&dh_schedule->diverging, &nobody, 1, 0,
                                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  dh_schedule->diverged_thread = thread;
  dh_schedule->diverged_turn = turn;
  dh_schedule->diverged_op = op;
  dh_schedule->diverged_object = (uintptr_t)object;
  dh_schedule->diverged_caller = (uintptr_t)caller;
  __atomic_store_n(&dh_schedule->diverged, 1, __ATOMIC_RELEASE);
  open_gates(DH_OPEN_DIVERGED);
}

/* ---- objects ---- */

static int may_be_at(uint32_t number, const void *address) {
  if (number == DH_NO_STEP || address == NULL)
    return 1;
  uint64_t known = __atomic_load_n(&objects[number].address, __ATOMIC_ACQUIRE);
  return known == 0 || known == (uintptr_t)address;
}

/*
 * An address may belong to one object after the other, but not to two at once: an object that a later step
 * is about is still there. With very many objects that is not looked at, since it takes a look at each.
 */
#define OBJECTS_COMPARED 4096

/* Whether the address is that of another object, which a step after this turn is about. */
static int is_taken(uint64_t address, uint32_t number, uint32_t turn) {
  uint32_t count = dh_schedule->objects <= OBJECTS_COMPARED ? dh_schedule->objects : 0;
  for (uint32_t i = 0; i < count; i++)
    if (i != number && objects[i].address == address && objects[i].last_turn >= turn)
      return 1;
  return 0;
}

/* In the turn of a step: its object is where the thread has it. 0 if that cannot be. */
static int bind(uint32_t number, const void *address, uint32_t turn) {
  if (number == DH_NO_STEP || address == NULL || objects[number].address == (uintptr_t)address)
    return 1;
  if (objects[number].address != 0 || is_taken((uintptr_t)address, number, turn + 1))
    return 0;
  __atomic_store_n(&objects[number].address, (uintptr_t)address, __ATOMIC_RELEASE);
  return 1;
}

/* ---- steps ---- */

static int is_release(uint32_t op) {
  return op == DH_OP_RELEASE || op == DH_OP_RELEASE_SHARED;
}

/* Whoever calls pthread_once learns only then whether there is anything to be done. */
static int is_once(uint32_t op) { return op == DH_OP_ONCE_BEGIN || op == DH_OP_ONCE_PASS; }

static int has_object(uint32_t op) {
  return op != DH_OP_FORK && op != DH_OP_BEGIN && op != DH_OP_END;
}

static int is_expected(const struct dh_step *step, enum dh_op op, const void *object,
                       const void *mutex) {
  if (step->op != op && !(is_release(step->op) && is_release(op)) &&
      !(is_once(step->op) && is_once(op)))
    return 0;
  if (op == DH_OP_JOIN)
    return step->object == (uintptr_t)object;
  return !has_object(op) || (may_be_at(step->object, object) && may_be_at(step->mutex, mutex));
}

static int bind_all(const struct dh_step *step, enum dh_op op, const void *object,
                    const void *mutex, uint32_t turn) {
  if (op == DH_OP_JOIN || !has_object(op))
    return 1;
  return bind(step->object, object, turn) && bind(step->mutex, mutex, turn);
}

static void finish(struct dh_scheduled_thread *slot, uint32_t turn) {
  __atomic_store_n(&slot->next, steps[turn].next, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->done, slot->done + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&dh_schedule->turn, turn + 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&dh_schedule->changes, 1, __ATOMIC_SEQ_CST);
  if (turn + 1 == dh_schedule->steps)
    return;
  /* One that does not stand at the gate yet sees the change before it sleeps. */
  uint32_t next = steps[turn + 1].thread;
  if (__atomic_load_n(&slot_of(next)->state, __ATOMIC_SEQ_CST) == DH_GATE_WAITING)
    wake_sleepers(&dh_schedule->changes, bit_of(next));
}

static void stand(struct dh_scheduled_thread *slot, enum dh_gate_state state, enum dh_op op,
                  const void *object, const void *caller) {
  slot->op = op;
  slot->object = (uintptr_t)object;
  slot->caller = (uintptr_t)caller;
  __atomic_store_n(&slot->state, state, __ATOMIC_SEQ_CST);
}

/*
 * A step whose object is not known yet, and a lock that is only tried: these need not belong together. If
 * the address is that of another object, they do not.
 */
static int is_try_of_another(const struct dh_step *step, const void *object) {
  return has_object(step->op) && step->op != DH_OP_JOIN && step->object != DH_NO_STEP &&
         objects[step->object].address == 0 &&
         is_taken((uintptr_t)object, step->object, 0);
}

enum look {
  WAITS,    /* for its turn */
  IDLES,    /* for nothing that it will do in this run, as far as is known */
  PASSES,
  TRIES,    /* passes, but must not succeed */
  HAS_TURN,
  SKIPS,    /* leaves out the step whose turn it is */
  DIVERGES,
};

/* What becomes of a thread that is about to do this. */
static enum look look(const struct dh_scheduled_thread *slot, enum dh_op op, const void *object,
                      const void *mutex, unsigned how) {
  int only_tries = (how & (DH_LOCK_TRY | DH_LOCK_TIMED)) != 0;
  if (slot->next == DH_NO_STEP)
    return op == DH_OP_END ? PASSES : only_tries && slot->races ? TRIES : IDLES;
  const struct dh_step *step = &steps[slot->next];
  int has_turn = __atomic_load_n(&dh_schedule->turn, __ATOMIC_ACQUIRE) == slot->next;
  if (is_expected(step, op, object, mutex) && !(only_tries && is_try_of_another(step, object))) {
    if (!has_turn)
      return WAITS;
    /* A try shows where the object is only when it succeeds. */
    return only_tries || bind_all(step, op, object, mutex, slot->next) ? HAS_TURN : DIVERGES;
  }
  if (only_tries)
    return TRIES;
  /* A new thread that nobody knows is held soon enough. */
  if (op == DH_OP_FORK)
    return PASSES;
  /* It does not come back from here, but is cancelled. */
  if ((how & DH_TURN_CANCELS) && step->op == DH_OP_END)
    return IDLES;
  if (step->flags & DH_STEP_OPTIONAL)
    return has_turn ? SKIPS : WAITS;
  return DIVERGES;
}

uint32_t dh_turn_wait(enum dh_op op, const void *object, const void *mutex, unsigned how,
                      const void *caller) {
  struct dh_thread *thread = dh_thread_here();
  /* Only now is it known whether this is the child of a fork. */
  if (thread == NULL || dh_schedule == NULL || dh_is_internal(caller))
    return 0;
  uint32_t number = thread->number;
  struct dh_scheduled_thread *slot = slot_of(number);
  if (slot == NULL)
    return 0;
  uint32_t turn = 0;
  uint32_t interruptions = thread->interruptions;
  for (;;) {
    uint32_t seen = __atomic_load_n(&dh_schedule->changes, __ATOMIC_SEQ_CST);
    if (is_open() || __atomic_load_n(&slot->free, __ATOMIC_ACQUIRE))
      break;
    enum look found = look(slot, op, object, mutex, how);
    if (found == SKIPS) {
      finish(slot, slot->next);
      continue;
    }
    if (found == HAS_TURN)
      turn = slot->next + 1;
    if (found == TRIES)
      turn = TRIED;
    if (found == DIVERGES)
      diverge(number, slot->next, op, object, caller);
    if (found != WAITS && found != IDLES)
      break;
    stand(slot, slot->next == DH_NO_STEP ? DH_GATE_HELD : DH_GATE_WAITING, op, object, caller);
    if (dh_nap(&dh_schedule->changes, seen, bit_of(number)))
      open_if_left_alone();
    if (found == IDLES && (how & DH_TURN_CANCELS))
      pthread_testcancel();
    if ((how & DH_TURN_INTERRUPTED) && thread->interruptions != interruptions) {
      turn = DH_TURN_INTERRUPTED;
      break;
    }
  }
  __atomic_store_n(&slot->state, DH_GATE_RUNNING, __ATOMIC_RELEASE);
  return turn;
}

const struct dh_step *dh_step_of(uint32_t turn) { return &steps[turn - 1]; }

void dh_turn_end(uint32_t turn, enum dh_op op, const void *object, const void *caller) {
  uint32_t number = dh_self.number;
  struct dh_scheduled_thread *slot = dh_schedule == NULL ? NULL : slot_of(number);
  if (slot == NULL)
    return;
  const struct dh_step *step = turn == TRIED ? NULL : dh_step_of(turn);
  if (step != NULL && (step->op == op || (is_release(step->op) && is_release(op))) &&
      bind_all(step, op, object, NULL, turn - 1))
    finish(slot, turn - 1);
  else
    diverge(number, slot->next, op, object, caller);
}

/* ---- threads and conditions ---- */

void dh_schedule_thread_begins(const struct dh_thread *thread) {
  struct dh_scheduled_thread *slot = dh_schedule == NULL ? NULL : slot_of(thread->number);
  if (slot == NULL)
    return;
  __atomic_store_n(&slot->state, DH_GATE_RUNNING, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->tid, thread->tid, __ATOMIC_RELEASE);
}

/* A thread that has other steps left must not end; without any it is not held back. */
void dh_schedule_thread_ends(const struct dh_thread *thread) {
  dh_turn_done(dh_turn(DH_OP_END, NULL, 0, NULL), DH_OP_END, NULL, NULL);
  struct dh_scheduled_thread *slot = dh_schedule == NULL ? NULL : slot_of(thread->number);
  if (slot != NULL)
    __atomic_store_n(&slot->state, DH_GATE_ENDED, __ATOMIC_RELEASE);
}

uint32_t dh_scheduled_thread_number(uint32_t turn) {
  if (turn != 0)
    return dh_step_of(turn)->object;
  uint32_t number = dh_new_thread_number();
  struct dh_scheduled_thread *own = dh_schedule == NULL ? NULL : slot_of(dh_self.number);
  struct dh_scheduled_thread *slot = dh_schedule == NULL ? NULL : slot_of(number);
  /* What a free thread starts is free. */
  if (slot != NULL && (own == NULL || own->free))
    slot->free = 1;
  return number;
}

#define COUNTERS 1024
static uint32_t signals[COUNTERS];

uint32_t *dh_signals_of(const void *condition) {
  return &signals[((uintptr_t)condition >> 3) * 0x9e3779b97f4a7c15 >> 54];
}

void dh_count_signal(const void *condition) { wake(dh_signals_of(condition), EVERYBODY); }
