/*
 * From raw records to what is worth logging: through runs (runs.h) and the filter (filter.h).
 *
 * Runs on registers alone and without libc: clones come here with vector registers in use.
 */
#include "accesses.h"

#include "log.h"
#include "runs.h"
#include "shadow.h"
#include "syscalls.h"

struct dh_clones dh_clones[DH_MODULES_MAX];
uint32_t dh_clones_count;
uint32_t dh_group_state_size;

static struct dh_accesses *accesses_of(struct dh_thread *thread) { return thread->accesses; }

/* ---- the raw buffer ---- */

/* A clone has filled the buffer. */
void dh_full(void) {
  struct dh_thread *thread = &dh_self;
  dh_enter(thread);
  if (thread->state == DH_THREAD_NEW)
    dh_thread_start(thread, 0);
  else if (thread->state == DH_THREAD_LIVE && thread->accesses != NULL)
    dh_runs_drain(thread);
  else
    thread->cursor = thread->undrained = thread->buffer;
  dh_leave(thread);
}

/* An epoch ends: what is known of it goes to the log. */
void dh_drain(struct dh_thread *thread) {
  if (thread->accesses == NULL) {
    thread->cursor = thread->undrained = thread->buffer;
    return;
  }
  if (thread->cursor != thread->undrained)
    dh_runs_drain(thread);
  if (accesses_of(thread)->active_count != 0)
    dh_runs_end_all(thread);
}

void dh_range(struct dh_thread *thread, int write, const void *at, size_t length,
              const void *caller) {
  struct dh_accesses *own = accesses_of(thread);
  if (own != NULL)
    dh_filter_range(&own->filter, thread, write ? DH_WRITE : DH_READ, (uintptr_t)at, length,
                    DH_CELL_SITES, caller);
}

/* ---- atomic accesses ---- */

void dh_ordered_begin(void) {
  struct dh_thread *thread = &dh_self;
  if (thread->state == DH_THREAD_NEW)
    dh_thread_start(thread, 0);
  if (thread->state != DH_THREAD_LIVE || thread->accesses == NULL) {
    thread->cursor = thread->undrained = thread->buffer;
    return;
  }
  dh_enter(thread);
  dh_drain(thread);
  dh_order_begin(&accesses_of(thread)->filter, thread);
}

void dh_ordered_end(void) {
  struct dh_thread *thread = &dh_self;
  if (thread->state != DH_THREAD_LIVE || thread->accesses == NULL)
    return;
  dh_order_end(&accesses_of(thread)->filter, thread);
  dh_leave(thread);
}

/* ---- threads ---- */

void dh_memory_fresh(const void *at, size_t size) {
  struct dh_accesses *own = accesses_of(&dh_self);
  dh_shadow_clear((uintptr_t)at, size);
  if (own == NULL)
    return;
  dh_filter_forget_range(&own->filter, (uintptr_t)at, size);
  own->generation++;
}

int dh_memory_was_shared(const void *at, size_t size) {
  return dh_shadow_is_known((uintptr_t)at, size);
}

void dh_accesses_start(struct dh_thread *thread) {
  if (dh_clones_count == 0 || !dh_shadow_start())
    return;
  struct dh_accesses *own = dh_map(sizeof *own);
  if (own == NULL)
    return;
  own->states = dh_map_far(DH_GROUP_STATE_MAX);
  if (own->states == NULL) {
    dh_unmap(own, sizeof *own);
    return;
  }
  thread->accesses = own;
}

void dh_accesses_end(struct dh_thread *thread) {
  struct dh_accesses *own = accesses_of(thread);
  thread->accesses = NULL;
  if (own == NULL)
    return;
  dh_unmap(own->states, DH_GROUP_STATE_MAX);
  dh_unmap(own, sizeof *own);
}

void dh_accesses_forked(struct dh_thread *thread) {
  struct dh_accesses *own = accesses_of(thread);
  dh_shadow_forget_all();
  dh_order_forked();
  if (own == NULL)
    return;
  own->active_count = 0;
  for (int i = 0; i < DH_LOG_SITES; i++)
    own->said.site[i] = NULL;
  own->said.end = NULL;
  own->said.last = own->said.other = 0;
  dh_forget(own->states, DH_GROUP_STATE_MAX);
  dh_filter_forget(&own->filter);
  own->generation++;
}
