/*
 * Entering and leaving critical sections. A clone does the same as its original, whether anything is isolated
 * or not; so all that matters is when copies are made, published and given up. This is by what threads may know
 * of each other: whoever lets go of a lock shows all that was done before, also what another lock guards.
 *
 *   lock(outer)    depth 1
 *     x = 1          a copy
 *   lock(inner)    depth 2
 *     put(&x)        copies
 *   unlock(inner)  depth 1: all is published, since somebody may get to x by way of what was put;
 *                  the copies of words that were first touched under `inner` are given up, that of x stays,
 *                  but falls asleep: it may be somebody else's by now
 *   lock(inner)    depth 2: what was copied before the unlock may have been changed by right, and is given up
 */
#define _GNU_SOURCE
#include "sections.h"

#include <pthread.h>

#include "../syscalls.h"
#include "devices.h"

static struct dh_words no_words; /* of threads that are in no section: nothing is ever found there */
__thread struct dh_section_thread dh_sections = {.words = &no_words};

static pthread_key_t at_end;
static int has_key;

static void free_words(void *words) {
  dh_sections.depth = 0;
  dh_sections.words = &no_words;
  dh_unmap(words, sizeof(struct dh_words));
}

static __attribute__((constructor(101))) void make_key(void) {
  has_key = pthread_key_create(&at_end, free_words) == 0;
}

/* Some milliseconds, at least. */
#define TURNS (1u << 22)
#define LONGEST_WAIT_NS 200000000ull

/* Whether this thread has what it takes. */
static int prepare(struct dh_section_thread *self, uint64_t stack) {
  if (self->words != &no_words)
    return 1;
  if (!has_key || (self->stack_high == 0 && !dh_stack_find(self, stack)))
    return 0;
  struct dh_words *words = dh_map(sizeof *words);
  if (words == NULL)
    return 0;
  if (pthread_setspecific(at_end, words) != 0) {
    dh_unmap(words, sizeof *words);
    return 0;
  }
  self->words = words;
  self->patience = TURNS;
  return 1;
}

#define FORGETS_NONE UINT32_MAX

static void publish(struct dh_section_thread *self, uint32_t forgotten_level) {
  if (self->busy)
    return;
  self->busy = 1;
  self->turning_since = 0;
  if (forgotten_level == 0)
    dh_words_finish(self->words, &dh_mode);
  else {
    dh_words_publish(self->words, &dh_mode);
    if (forgotten_level != FORGETS_NONE)
      dh_words_forget(self->words, forgotten_level);
  }
  self->busy = 0;
}

static void note_lock(struct dh_section_thread *self) {
  if (self->depth < DH_LOCKS)
    self->locks[self->depth] = self->asked_for;
  self->depth++;
}

static void tell_outside(struct dh_section_thread *self) {
  if (!self->is_told_outside && dh_mode.tell_outside != NULL)
    dh_mode.tell_outside();
  self->is_told_outside = 1;
}

void dh_section_enter(uint64_t section, uint64_t stack) {
  struct dh_section_thread *self = &dh_sections;
  if (self->busy)
    return;
  /* On a stack that somebody has made himself, it cannot be told what is the thread's own; nor what is a device among
     too many. */
  if (!prepare(self, stack) || stack - self->stack_low >= self->stack_high - self->stack_low ||
      !dh_devices_known()) {
    tell_outside(self);
    return;
  }
  /* Only what is called inside gets here: unless an exception has left the section, and its frame with it. */
  if (self->depth != 0 && stack < self->entered_at) {
    dh_section_lock();
    return;
  }
  if (self->depth != 0)
    dh_section_leave();
  self->section = (uint32_t)section;
  self->entered_at = stack;
  self->has_released = 0;
  note_lock(self);
}

void dh_section_show(void) {
  struct dh_section_thread *self = &dh_sections;
  if (self->words->count != 0)
    publish(self, FORGETS_NONE);
}

void dh_section_lock(void) {
  struct dh_section_thread *self = &dh_sections;
  if (self->depth == 0)
    return;
  if (self->has_released)
    publish(self, 0);
  self->has_released = 0;
  note_lock(self);
}

/* What was touched under the locks that stay is theirs, as long as these are the first ones. */
static uint32_t level_let_go(const struct dh_section_thread *self, uint64_t lock) {
  uint32_t last = self->depth - 1;
  return last > 0 && last < DH_LOCKS && self->locks[last] == lock ? self->depth : 0;
}

void dh_section_unlock(uint64_t nothing, uint64_t stack, uint64_t lock) {
  (void)nothing;
  (void)stack;
  struct dh_section_thread *self = &dh_sections;
  if (self->depth == 0)
    return;
  publish(self, level_let_go(self, lock));
  self->has_released = 1;
  self->depth--;
  /* Which of them was let go of is only known of the last one. */
  if (self->depth < DH_LOCKS && self->locks[self->depth] != lock)
    for (uint32_t i = 0; i <= self->depth; i++)
      self->locks[i] = 0;
}

void dh_section_settle(void) {
  struct dh_section_thread *self = &dh_sections;
  if (self->words->count != 0 || self->words->sleepers != 0)
    publish(self, 0);
}

/*
 * It may be that others have to do something first, who do not need the lock: `while (!ready) turns++`. On copies it
 * would wait for ever, and nobody can tell from the code that it waits. What takes so long is a section no more.
 */
void dh_section_tire(void) {
  struct dh_section_thread *self = &dh_sections;
  self->patience = TURNS;
  if (self->depth == 0)
    return;
  uint64_t now = dh_time();
  if (self->turning_since == 0)
    self->turning_since = now;
  else if (now - self->turning_since > LONGEST_WAIT_NS)
    dh_section_settle();
}

void dh_section_leave(void) {
  dh_section_settle();
  dh_sections.depth = 0;
}

/*
 * What: the number of bytes, and from bit 8 on enum dh_access. Stack: below it, nothing is alive. lookup.S does the
 * same for most words without a call.
 */
uint64_t dh_section_find(uint64_t address, uint64_t what, uint64_t stack) {
  struct dh_section_thread *self = &dh_sections;
  if (self->depth == 0 || self->busy || address - stack < self->stack_high - stack ||
      address - self->own_low < self->own_high - self->own_low || dh_is_device(address))
    return address;
  self->busy = 1;
  uint64_t found = dh_words_find(self->words, &dh_mode, address, what & 0xff,
                                 (enum dh_access)(what >> 8), self->depth);
  self->busy = 0;
  return found;
}
