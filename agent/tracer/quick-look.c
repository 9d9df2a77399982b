/*
 * The one thing that deadheat does in C by itself: from the moment that a thread comes to a breakpoint of `watch`, to
 * the moment that it goes on. It stands and waits for us meanwhile, and through JavaScript that took longer than the
 * window itself: a millisecond or two, most of it for code and data that the program has driven from the caches, and
 * which then drive out the program's.
 *
 *   a thread stops at a breakpoint      its registers say which bytes it is about to touch; all others get watchpoints
 *   … the window …                      nobody touches them, and they are what they were
 *   it goes on                          and deadheat is told afterwards, of several such windows at once
 *
 * Breakpoints are written when their time has come. Whoever comes to one when there is no time to look goes on at once.
 *
 * Whatever else happens is not for here: deadheat is told of the stop, and finds all as it would have left it itself.
 * Nothing is changed before it is certain that we know all that it takes.
 */
#define _GNU_SOURCE
#include "quick-look.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stop-timer.h"
#include "watchpoints.h"

#define INT3 0xcc
#define SET_OF(signal) (1ull << ((signal)-1))
#define FAULTS (SET_OF(SIGSEGV) | SET_OF(SIGBUS) | SET_OF(SIGILL) | SET_OF(SIGFPE))

static const struct dh_place *place_at(const struct dh_look *look, uint64_t address) {
  const struct dh_place *places = (const struct dh_place *)look->places;
  for (uint64_t i = 0; i < look->place_count; i++)
    if (places[i].address == address)
      return &places[i];
  return NULL;
}

static int is_thread(const struct dh_look *look, int task) {
  const uint64_t *threads = (const uint64_t *)look->threads;
  for (uint64_t i = 0; i < look->thread_count; i++)
    if (threads[i] == (uint64_t)task)
      return 1;
  return 0;
}

static uint64_t word_of(const struct user_regs_struct *registers, uint8_t number) {
  return number == DH_NO_REGISTER ? 0 : ((const unsigned long long *)registers)[number];
}

__attribute__((visibility("default"))) uint64_t
deadheat_touched(const struct dh_place *place, const struct user_regs_struct *registers) {
  return word_of(registers, place->segment) + word_of(registers, place->base) +
         word_of(registers, place->index) * place->scale + place->displacement;
}

static int peek(const struct dh_look *look, void *to, uint64_t from, uint64_t size) {
  const struct iovec here = {to, size}, there = {(void *)from, size};
  return process_vm_readv((pid_t)look->process, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static int is_same(const uint8_t *one, const uint8_t *other, uint64_t size) {
  for (uint64_t i = 0; i < size; i++)
    if (one[i] != other[i])
      return 0;
  return 1;
}

/* Whether the place's breakpoint stands in the code that it was put into; others of ours may be close behind it. */
static int is_planted(const struct dh_look *look, const struct dh_place *place) {
  uint8_t found[DH_KNOWN_BYTES];
  if (!peek(look, found, place->address, sizeof found) || found[0] != INT3)
    return 0;
  for (uint64_t i = 1; i < sizeof found; i++) {
    if (found[i] == place->known[i])
      continue;
    const struct dh_place *other = found[i] == INT3 ? place_at(look, place->address + i) : NULL;
    if (other == NULL || other->known[0] != place->known[i])
      return 0;
  }
  return 1;
}

static int poke_code(const struct dh_look *look, uint64_t address, uint8_t byte) {
  return pwrite((int)look->memory, &byte, 1, (off_t)address) == 1;
}

/* Whether the thread has just executed an int3, and has SIGTRAP blocked neither before nor now. */
static int is_at_int3(int task, int status, struct user_regs_struct *registers) {
  siginfo_t cause;
  uint64_t blocked;
  if (!WIFSTOPPED(status) || status >> 8 != SIGTRAP)
    return 0;
  if (ptrace(PTRACE_GETSIGINFO, task, 0, &cause) != 0 || cause.si_code != SI_KERNEL)
    return 0;
  if (ptrace(PTRACE_GETREGS, task, 0, registers) != 0)
    return 0;
  if (ptrace(PTRACE_GETSIGMASK, task, sizeof blocked, &blocked) != 0)
    return 0;
  return (blocked & FAULTS) != FAULTS;
}

/* Before the instruction that it has come to. */
static int set_back(int task, struct user_regs_struct *registers) {
  registers->rip -= 1;
  return ptrace(PTRACE_SETREGS, task, 0, registers) == 0;
}

/* The one that is open. */
static struct dh_window *open_window(struct dh_look *look) {
  struct dh_window *last = look->windows + look->window_count - 1;
  return look->window_count > 0 && last->over_ns == 0 ? last : NULL;
}

/* Whether a window is open now: `task` has stopped, and stands before an access that is watched. */
static int is_opened(struct dh_look *look, int task, int status) {
  struct dh_window *window = look->windows + look->window_count;
  if (!is_thread(look, task) || !is_at_int3(task, status, &window->registers))
    return 0;
  const struct dh_place *place = place_at(look, window->registers.rip - 1);
  if (place == NULL || !is_planted(look, place))
    return 0;
  window->holder = (uint64_t)task;
  window->touched = deadheat_touched(place, &window->registers);
  if (!peek(look, look->before, window->touched, place->size) || !dh_arm(look, window, place))
    return 0;
  if (!poke_code(look, place->address, place->known[0]) || !set_back(task, &window->registers)) {
    dh_disarm(look);
    return 0;
  }
  window->place = (uint64_t)(place - (const struct dh_place *)look->places);
  window->over_ns = 0;
  look->window_count++;
  return 1;
}

/* Whether its breakpoint was taken away in this call. */
static int is_taken(const struct dh_look *look, uint64_t place) {
  for (uint64_t i = 0; i < look->window_count; i++)
    if (look->windows[i].place == place)
      return 1;
  for (uint64_t i = 0; i < look->passed_count; i++)
    if (look->passed[i] == place)
      return 1;
  return 0;
}

/* A thread for which there is no time goes back, and on; so do those who came to a breakpoint just before it was taken
   away. */
static int is_sent_on(struct dh_look *look, int task, int status) {
  struct user_regs_struct registers;
  if (!is_thread(look, task) || !is_at_int3(task, status, &registers))
    return 0;
  const struct dh_place *place = place_at(look, registers.rip - 1);
  if (place == NULL)
    return 0;
  const uint64_t number = (uint64_t)(place - (const struct dh_place *)look->places);
  if (!is_taken(look, number)) {
    if (look->passed_count == DH_MOST_PASSED || !is_planted(look, place))
      return 0;
    if (!poke_code(look, place->address, place->known[0]))
      return 0;
    look->passed[look->passed_count++] = (uint16_t)number;
  }
  return set_back(task, &registers) && ptrace(PTRACE_CONT, task, 0, 0) == 0;
}

static uint64_t later(uint64_t one, uint64_t other) { return one > other ? one : other; }

/* Whether nothing has happened in it. */
static int is_closed(struct dh_look *look, struct dh_window *window, uint64_t now) {
  const struct dh_place *place = (const struct dh_place *)look->places + window->place;
  uint8_t after[DH_MOST_TOUCHED];
  if (peek(look, after, window->touched, place->size) && !is_same(after, look->before, place->size))
    return 0;
  dh_disarm(look);
  /* If it was killed, that is what it stops with next. */
  ptrace(PTRACE_CONT, (int)window->holder, 0, 0);
  window->over_ns = now;
  /* Nobody stands for more than half of the time. */
  const uint64_t saved = window->hit_ns > look->saved_ns ? window->hit_ns - look->saved_ns : 0;
  look->from_ns = later(later(look->from_ns, saved) + look->every_ns, 2 * now - window->hit_ns);
  return 1;
}

/* Those whose time has come, unless there is none to look: whoever came to them would be stopped for nothing. When it
   comes for the next one. */
static uint64_t write_due(struct dh_look *look, uint64_t now) {
  const struct dh_unwritten *unwritten = (const struct dh_unwritten *)look->unwritten;
  for (; look->written_count < look->unwritten_count; look->written_count++) {
    const struct dh_unwritten *next = unwritten + look->written_count;
    const uint64_t at = later(next->at_ns, look->from_ns);
    if (at > now)
      return at;
    /* Where code has gone, nobody will come. */
    poke_code(look, next->address, INT3);
  }
  return UINT64_MAX;
}

/* Whether somebody was held, or sent on. */
static int is_handled(struct dh_look *look, int task, int status, uint64_t began, uint64_t now) {
  if (open_window(look) != NULL || now < look->from_ns)
    return is_sent_on(look, task, status);
  if (!is_opened(look, task, status))
    return 0;
  struct dh_window *window = open_window(look);
  window->hit_ns = now;
  window->open_ns = dh_now() - began;
  return 1;
}

static enum dh_look_end look_for_hits(struct dh_look *look, const struct dh_stop_timer *waiting,
                                      uint64_t began) {
  int is_interrupted = 0;
  for (uint64_t now = 0;;) {
    struct dh_window *window = open_window(look);
    const uint64_t closes = window == NULL ? 0 : window->open_ns + look->window_ns;
    if (window != NULL && now >= closes) {
      if (!is_closed(look, window, now))
        return DH_LOOK_CHANGED;
      window = NULL;
    }
    uint64_t until = closes;
    if (window == NULL) {
      const int is_full =
          look->window_count == DH_MOST_WINDOWS || look->passed_count == DH_MOST_PASSED;
      if (is_interrupted)
        return DH_LOOK_INTERRUPTED;
      /* However late it is: those who have stopped are looked at first. */
      if (now > look->until_ns || is_full)
        return DH_LOOK_TIME;
      const uint64_t next = write_due(look, now);
      until = next < look->until_ns ? next : look->until_ns;
    }
    int task, status;
    const enum dh_waited waited = dh_wait(waiting, began + until, &task, &status);
    now = dh_now() - began;
    switch (waited) {
    case DH_WAITED_STOP:
      if (is_handled(look, task, status, began, now))
        break;
      look->task = (uint64_t)task;
      look->status = (uint64_t)(uint32_t)status;
      return DH_LOOK_STOP;
    case DH_WAITED_TIME:
      break;
    case DH_WAITED_SIGNAL:
      is_interrupted = 1;
      break;
    case DH_WAITED_NOBODY:
      return DH_LOOK_NOBODY;
    }
  }
}

__attribute__((visibility("default"))) int deadheat_look(struct dh_look *look) {
  struct dh_stop_timer waiting;
  if (look->size != sizeof *look || !dh_begin_waiting(&waiting))
    return -1;
  look->written_count = 0;
  look->window_count = 0;
  look->event_count = 0;
  look->passed_count = 0;
  look->end = look_for_hits(look, &waiting, dh_now());
  dh_end_waiting(&waiting);
  return 0;
}
