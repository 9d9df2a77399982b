/*
 * From raw records to what is worth logging.
 *
 * Records of one group that follow each other with equal steps, as in a loop over an array, are one *run*:
 * that takes a comparison for each of them. A run that has been seen in this epoch already (the same row of
 * a matrix, once more) is dropped as a whole. All else goes through the filter (filter.h), which keeps one
 * access for each location, thread and epoch, and leaves out what only one thread ever touches.
 *
 * Runs on registers alone and without libc: see syscalls.h.
 */
#include "accesses.h"

#include "filter.h"
#include "groups.h"
#include "log.h"
#include "shadow.h"
#include "syscalls.h"

struct dh_clones dh_clones[DH_MODULES_MAX];
uint32_t dh_clones_count;
uint32_t dh_group_state_size;

/* A group's state in a thread: its run, of `count` records in `epoch`. */
struct run {
  uint32_t epoch;
  uint32_t count;
  struct {
    uint64_t last;
    uint64_t step;
  } value[];
};

#define ACTIVE_MAX 1024
#define RUNS_SEEN 1024
/* Shorter ones are cheaper to look at than to remember. */
#define SHORTEST_REMEMBERED 8

struct accesses {
  struct dh_filter filter;
  char *states; /* of all groups */
  uint32_t active_count;
  uint32_t active[ACTIVE_MAX]; /* groups with a run */
  uint64_t seen[RUNS_SEEN];    /* runs of this epoch, hashed with it */
};

static struct accesses *accesses_of(struct dh_thread *thread) { return thread->accesses; }

/* ---- runs ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/* Whether this very run has been logged in this epoch; if not, it is from now on. */
static int seen_before(struct accesses *own, uint32_t number, const struct dh_group *group,
                       const struct run *run) {
  uint64_t hash = mix((uint64_t)run->epoch << 32 | number, run->count);
  for (int i = 0; i < group->values; i++)
    hash = mix(mix(hash, run->value[i].last), run->value[i].step);
  uint64_t *place = &own->seen[hash % RUNS_SEEN];
  if (*place == hash)
    return 1;
  *place = hash;
  return 0;
}

/* What of one access is to be logged: elements that follow each other. */
struct pending {
  uintptr_t first;
  uint32_t count;
};

static void log_elements(struct dh_thread *thread, const struct dh_group_access *access,
                         uint32_t site, struct pending *pending, uint64_t step) {
  if (pending->count == 0)
    return;
  uint64_t kind = pending->count == 1 ? DH_LOG_ACCESS : DH_LOG_RUN;
  uint64_t words[] = {DH_HEAD(kind, access->flags, access->size, site), pending->first, step,
                      pending->count};
  dh_log(thread, words, kind == DH_LOG_ACCESS ? 2 : 4);
  pending->count = 0;
}

/* rep movs and the like: as many elements as a register says. */
static void log_counted(struct dh_thread *thread, struct accesses *own,
                        const struct dh_group_access *access, uintptr_t at, uint64_t elements,
                        uint32_t site) {
  dh_filter_range(&own->filter, thread, access->flags, at, elements * access->size, site, 0);
}

static void end_run(struct dh_thread *thread, uint32_t number, const struct dh_clones *clones,
                    const struct dh_group *group, struct run *run) {
  struct accesses *own = accesses_of(thread);
  uint32_t count = run->count;
  run->count = 0;
  if (count == 0)
    return;
  if (count >= SHORTEST_REMEMBERED) {
    run->count = count;
    int seen = seen_before(own, number, group, run);
    run->count = 0;
    if (seen)
      return;
  }
  struct pending pending[group->accesses];
  for (int i = 0; i < group->accesses; i++)
    pending[i].count = 0;
  for (uint64_t back = count; back-- > 0;) {
    for (int i = 0; i < group->accesses; i++) {
      const struct dh_group_access *access = &group->access[i];
      uintptr_t base = access->value == DH_NO_VALUE
                           ? clones->image
                           : run->value[access->value].last - back * run->value[access->value].step;
      uintptr_t at = base + (intptr_t)access->displacement;
      uint32_t site = clones->first_site + access->site;
      if (__builtin_expect(access->count != DH_NO_VALUE, 0)) {
        uint64_t elements = run->value[access->count].last - back * run->value[access->count].step;
        log_counted(thread, own, access, at, elements, site);
        continue;
      }
      uint64_t step = access->value == DH_NO_VALUE ? 0 : run->value[access->value].step;
      if (dh_filter_passes(&own->filter, thread, at, access->size, access->flags, site)) {
        if (pending[i].count++ == 0)
          pending[i].first = at;
      } else {
        log_elements(thread, access, site, &pending[i], step);
      }
    }
  }
  for (int i = 0; i < group->accesses; i++) {
    const struct dh_group_access *access = &group->access[i];
    uint64_t step = access->value == DH_NO_VALUE ? 0 : run->value[access->value].step;
    log_elements(thread, access, clones->first_site + access->site, &pending[i], step);
  }
}

static void end_all_runs(struct dh_thread *thread) {
  struct accesses *own = accesses_of(thread);
  for (uint32_t i = 0; i < own->active_count; i++) {
    uint32_t number = own->active[i];
    const struct dh_clones *clones = dh_clones_of(number);
    const struct dh_group *group = dh_group(clones, number);
    struct run *run = (struct run *)(own->states + clones->state_at + group->state_at);
    end_run(thread, number, clones, group, run);
    run->epoch = 0;
  }
  own->active_count = 0;
}

static void begin_run(struct dh_thread *thread, uint32_t number, const struct dh_group *group,
                      struct run *run, const uint64_t *values) {
  struct accesses *own = accesses_of(thread);
  if (run->epoch != thread->epoch + 1) {
    if (own->active_count == ACTIVE_MAX)
      end_all_runs(thread);
    own->active[own->active_count++] = number;
    run->epoch = thread->epoch + 1; /* 0 is none */
  }
  run->count = 1;
  for (int i = 0; i < group->values; i++)
    run->value[i].last = values[i];
}

/* Whether the record is the next one of the run. */
static inline int continues(const struct dh_group *group, struct run *run, const uint64_t *values) {
  for (int i = 0; i < group->values; i++)
    if (values[i] - run->value[i].last != run->value[i].step)
      return 0;
  return 1;
}

static inline int repeats(const struct dh_group *group, struct run *run, const uint64_t *values) {
  for (int i = 0; i < group->values; i++)
    if (values[i] != run->value[i].last)
      return 0;
  return 1;
}

static void take_record(struct dh_thread *thread, uint32_t number, const struct dh_clones *clones,
                        const struct dh_group *group, const uint64_t *values) {
  struct run *run =
      (struct run *)(accesses_of(thread)->states + clones->state_at + group->state_at);
  if (__builtin_expect(run->epoch == thread->epoch + 1 && run->count != 0, 1)) {
    if (run->count > 1 && continues(group, run, values)) {
      run->count++;
      for (int i = 0; i < group->values; i++)
        run->value[i].last = values[i];
      return;
    }
    if (repeats(group, run, values))
      return;
    if (run->count == 1) {
      run->count = 2;
      for (int i = 0; i < group->values; i++) {
        run->value[i].step = values[i] - run->value[i].last;
        run->value[i].last = values[i];
      }
      return;
    }
    end_run(thread, number, clones, group, run);
  }
  begin_run(thread, number, group, run, values);
}

/* ---- the raw buffer ---- */

static void take_ordered(struct dh_thread *thread, const struct dh_clones *clones,
                         const struct dh_group *group, const uint64_t *values) {
  const struct dh_group_access *access = &group->access[0];
  uintptr_t base = access->value == DH_NO_VALUE ? clones->image : values[access->value];
  struct dh_ordered *ordered = &accesses_of(thread)->filter.ordered;
  ordered->address = base + (intptr_t)access->displacement;
  ordered->size = access->size;
  ordered->flags = access->flags;
  ordered->site = clones->first_site + access->site;
}

static void drain(struct dh_thread *thread) {
  const struct dh_clones *clones = dh_clones;
  char *at = thread->undrained, *end = thread->cursor;
  while (at < end) {
    const uint64_t *record = (const uint64_t *)at;
    uint32_t number = record[0];
    if (__builtin_expect(number - clones->first_group >= clones->groups, 0))
      clones = dh_clones_of(number);
    const struct dh_group *group = dh_group(clones, number);
    if (__builtin_expect(group->access[0].flags & DH_ATOMIC, 0))
      take_ordered(thread, clones, group, record + 1);
    else
      take_record(thread, number, clones, group, record + 1);
    at += 8 * (1 + group->values);
  }
  thread->cursor = thread->undrained = thread->buffer;
}

/* A clone has filled the buffer. */
void dh_full(void) {
  struct dh_thread *thread = &dh_self;
  dh_enter(thread);
  if (thread->state == DH_THREAD_NEW)
    dh_thread_start(thread, 0);
  else if (thread->state == DH_THREAD_LIVE && thread->accesses != NULL)
    drain(thread);
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
    drain(thread);
  if (accesses_of(thread)->active_count != 0)
    end_all_runs(thread);
}

void dh_range(struct dh_thread *thread, int write, const void *at, size_t length,
              const void *caller) {
  struct accesses *own = accesses_of(thread);
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

void dh_memory_fresh(const void *at, size_t size) { dh_shadow_clear((uintptr_t)at, size); }

int dh_memory_was_shared(const void *at, size_t size) {
  return dh_shadow_is_known((uintptr_t)at, size);
}

void dh_accesses_start(struct dh_thread *thread) {
  if (dh_clones_count == 0 || !dh_shadow_start())
    return;
  struct accesses *own = dh_map(sizeof *own);
  if (own == NULL)
    return;
  own->states = dh_map(DH_GROUP_STATE_MAX);
  if (own->states == NULL) {
    dh_unmap(own, sizeof *own);
    return;
  }
  thread->accesses = own;
}

void dh_accesses_end(struct dh_thread *thread) {
  struct accesses *own = accesses_of(thread);
  thread->accesses = NULL;
  if (own == NULL)
    return;
  dh_unmap(own->states, DH_GROUP_STATE_MAX);
  dh_unmap(own, sizeof *own);
}

void dh_accesses_forked(struct dh_thread *thread) {
  struct accesses *own = accesses_of(thread);
  dh_shadow_forget_all();
  if (own == NULL)
    return;
  own->active_count = 0;
  dh_forget(own->states, DH_GROUP_STATE_MAX);
  dh_filter_forget(&own->filter);
}
