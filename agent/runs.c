/* Runs on registers alone and without libc: clones come here with vector registers in use. */
#include "runs.h"

#include "loops.h"

/* Shorter ones are cheaper to look at than to remember. */
#define SHORTEST_REMEMBERED 8
#define SHORTS_MAX 4
#define DIRECT_RECORDS 1000

static struct dh_accesses *own_of(struct dh_thread *thread) { return thread->accesses; }

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/* Whether these addresses have been through this site in this epoch; if not, they have now. */
static int seen_before(struct dh_accesses *own, uint32_t epoch, uint32_t site, uint32_t count,
                       uintptr_t last, uint64_t step) {
  uint64_t here = (uint64_t)epoch << 32 | site, often = (uint64_t)own->generation << 32 | count;
  uint64_t hash = mix(mix(mix(here, often), last), step);
  uint64_t *place = &own->seen[hash % (DH_RUNS_SEEN / DH_RUNS_SEEN_WAYS) * DH_RUNS_SEEN_WAYS];
  for (int i = 0; i < DH_RUNS_SEEN_WAYS; i++)
    if (place[i] == hash)
      return 1;
  for (int i = DH_RUNS_SEEN_WAYS - 1; i > 0; i--)
    place[i] = place[i - 1];
  place[0] = hash;
  return 0;
}

/* ---- one access of a run ---- */

/* Where it is in the last record, and how far apart in the records before. */
static uintptr_t last_address(const struct dh_clones *clones, const struct dh_group_access *access,
                              const struct dh_run *run) {
  uintptr_t base = access->value == DH_NO_VALUE ? clones->image : run->value[access->value].last;
  return base + (intptr_t)access->displacement;
}

static uint64_t step_of(const struct dh_group_access *access, const struct dh_run *run) {
  return access->value == DH_NO_VALUE ? 0 : run->value[access->value].step;
}

/* Elements that follow each other and are to be logged. */
struct pending {
  uintptr_t first;
  uint32_t count; /* SKIPPED: the whole access is to be left out */
};
#define SKIPPED UINT32_MAX

static void log_pending(struct dh_thread *thread, const struct dh_group_access *access,
                        uint32_t site, struct pending *pending, uint64_t step) {
  if (pending->count == 1)
    dh_log_access(thread, &own_of(thread)->said, access, site, pending->first);
  else if (pending->count > 1 && pending->count != SKIPPED)
    dh_log_run(thread, access, site, pending->first, step, pending->count);
  if (pending->count != SKIPPED)
    pending->count = 0;
}

/* rep movs and the like: as many elements as a value says. */
static void take_counted(struct dh_thread *thread, const struct dh_group_access *access,
                         uint32_t site, uintptr_t at, uint64_t elements) {
  dh_filter_range(&own_of(thread)->filter, thread, access->flags, at, elements * access->size, site,
                  0);
}

/* ---- the end of a run ---- */

void dh_run_end(struct dh_thread *thread, const struct dh_clones *clones,
                const struct dh_group_access *accesses, uint32_t many, const struct dh_run *run,
                uint32_t count) {
  struct dh_accesses *own = own_of(thread);
  struct pending pending[many];
  int left = 0;
  for (uint32_t i = 0; i < many; i++) {
    const struct dh_group_access *access = &accesses[i];
    int is_old = access->count == DH_NO_VALUE && count >= SHORTEST_REMEMBERED &&
                 seen_before(own, thread->epoch, clones->first_site + access->site, count,
                             last_address(clones, access, run), step_of(access, run));
    pending[i].count = is_old ? SKIPPED : 0;
    left += !is_old;
  }
  /* Record by record, since one access of a record may be the read before another's write. */
  for (uint64_t back = left == 0 ? 0 : count; back-- > 0;) {
    for (uint32_t i = 0; i < many; i++) {
      const struct dh_group_access *access = &accesses[i];
      if (pending[i].count == SKIPPED)
        continue;
      uint32_t site = clones->first_site + access->site;
      uint64_t step = step_of(access, run);
      uintptr_t at = last_address(clones, access, run) - back * step;
      if (access->count != DH_NO_VALUE) {
        take_counted(thread, access, site, at,
                     run->value[access->count].last - back * run->value[access->count].step);
      } else if (!dh_filter_passes(&own->filter, thread, at, access->size, access->flags, site)) {
        log_pending(thread, access, site, &pending[i], step);
      } else if (pending[i].count++ == 0) {
        pending[i].first = at;
      }
    }
  }
  for (uint32_t i = 0; i < many; i++) {
    const struct dh_group_access *access = &accesses[i];
    log_pending(thread, access, clones->first_site + access->site, &pending[i],
                step_of(access, run));
  }
}

DH_HOT void take_access(struct dh_accesses *own, struct dh_thread *thread,
                        const struct dh_clones *clones, const struct dh_group_access *access,
                        const uint64_t *values) {
  uint32_t site = clones->first_site + access->site;
  uintptr_t base = access->value == DH_NO_VALUE ? clones->image : values[access->value];
  uintptr_t at = base + (intptr_t)access->displacement;
  if (__builtin_expect(access->count != DH_NO_VALUE, 0))
    take_counted(thread, access, site, at, values[access->count]);
  else if (dh_filter_passes(&own->filter, thread, at, access->size, access->flags, site))
    dh_log_access(thread, &own->said, access, site, at);
}

/* One record, of which nothing else is known. */
static __attribute__((noinline)) void take_alone(struct dh_thread *thread,
                                                 const struct dh_clones *clones,
                                                 const struct dh_group *group,
                                                 const uint64_t *values) {
  for (int i = 0; i < group->accesses; i++)
    take_access(own_of(thread), thread, clones, &group->access[i], values);
}

static void end_run(struct dh_thread *thread, const struct dh_clones *clones,
                    const struct dh_group *group, struct dh_run *run) {
  uint32_t count = run->count;
  run->count = 0;
  if (count > 2) {
    run->shorts = 0;
    dh_run_end(thread, clones, group->access, group->accesses, run, count);
    return;
  }
  uint64_t values[group->values + 1];
  for (uint64_t back = count; back-- > 0;) {
    for (int i = 0; i < group->values; i++)
      values[i] = run->value[i].last - (back == 0 ? 0 : run->value[i].step);
    take_alone(thread, clones, group, values);
  }
}

void dh_runs_end_all(struct dh_thread *thread) {
  struct dh_accesses *own = own_of(thread);
  dh_log_notice_fork(thread);
  for (uint32_t i = 0; i < own->active_count; i++) {
    const struct dh_clones *clones = dh_clones_of(own->active[i]);
    const struct dh_group *group = dh_group(clones, own->active[i]);
    struct dh_run *run = dh_run_of(thread, clones, group);
    if (dh_is_loop(group))
      dh_loop_interrupted(thread, clones, group, run);
    else
      end_run(thread, clones, group, run);
    run->epoch = 0;
  }
  own->active_count = 0;
}

/* ---- records ---- */

void dh_run_begin(struct dh_thread *thread, uint32_t number, const struct dh_group *group,
                  struct dh_run *run, const uint64_t *values) {
  struct dh_accesses *own = own_of(thread);
  if (run->epoch != thread->epoch + 1) {
    if (own->active_count == DH_ACTIVE_MAX)
      dh_runs_end_all(thread);
    own->active[own->active_count++] = number;
    run->epoch = thread->epoch + 1;
  }
  run->count = 1;
  for (int i = 0; i < group->values; i++)
    run->value[i].last = values[i];
}

/*
 * How far the run goes on in the buffer: this is where a loop over an array spends its time, so there is a
 * loop for each of the usual numbers of values.
 */
static const uint64_t *go_on(const struct dh_group *group, struct dh_run *run, const uint64_t *at,
                             const uint64_t *end) {
  uint64_t number = at[0];
  uint32_t count = run->count;
  if (group->values == 1) {
    uint64_t last = run->value[0].last, step = run->value[0].step;
    for (; at < end && at[0] == number && at[1] == last + step; at += 2, count++)
      last += step;
    run->value[0].last = last;
  } else if (group->values == 2) {
    uint64_t last0 = run->value[0].last, step0 = run->value[0].step;
    uint64_t last1 = run->value[1].last, step1 = run->value[1].step;
    for (; at < end && at[0] == number && at[1] == last0 + step0 && at[2] == last1 + step1;
         at += 3, count++) {
      last0 += step0;
      last1 += step1;
    }
    run->value[0].last = last0;
    run->value[1].last = last1;
  } else {
    for (; at < end && at[0] == number; at += 1 + group->values, count++) {
      for (int i = 0; i < group->values; i++)
        if (at[1 + i] != run->value[i].last + run->value[i].step)
          goto ended;
      for (int i = 0; i < group->values; i++)
        run->value[i].last = at[1 + i];
    }
  }
ended:
  run->count = count;
  return at;
}

static inline int repeats(const struct dh_group *group, struct dh_run *run, const uint64_t *values) {
  for (int i = 0; i < group->values; i++)
    if (values[i] != run->value[i].last)
      return 0;
  return 1;
}

static __attribute__((noinline)) void take(struct dh_thread *thread, const struct dh_clones *clones,
                 const struct dh_group *group, struct dh_run *run, uint32_t number,
                 const uint64_t *values) {
  if (__builtin_expect(run->epoch == thread->epoch + 1 && run->count != 0, 1)) {
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
    int was_short = run->count == 2;
    end_run(thread, clones, group, run);
    if (was_short && ++run->shorts >= SHORTS_MAX) {
      run->shorts = 0;
      run->direct = DIRECT_RECORDS;
      take_alone(thread, clones, group, values);
      return;
    }
  }
  dh_run_begin(thread, number, group, run, values);
}

/*
 * Records of groups that are taken one by one for now, as long as one follows the other: a walk over a list
 * spends its time here.
 */
static __attribute__((noinline)) const uint64_t *
take_direct(struct dh_thread *thread, const struct dh_clones *clones, const uint64_t *at,
            const uint64_t *end) {
  struct dh_accesses *own = own_of(thread);
  do {
    uint32_t number = dh_record_group(at[0]);
    if (__builtin_expect(number - clones->first_group >= clones->groups, 0))
      break;
    const struct dh_group *group = dh_group(clones, number);
    struct dh_run *run = dh_run_of(thread, clones, group);
    if (run->direct == 0)
      break;
    run->direct--;
    const uint64_t *values = at + 1;
    at += 1 + dh_record_values(at[0]);
    if (__builtin_expect(group->accesses == 1 && group->values == 1, 1))
      take_access(own, thread, clones, &group->access[0], values);
    else
      take_alone(thread, clones, group, values);
  } while (at < end);
  return at;
}

/* Takes a record, and those after it that continue its run; returns where the rest starts. */
static inline const uint64_t *take_record(struct dh_thread *thread, const struct dh_clones *clones,
                                          const struct dh_group *group, const uint64_t *record,
                                          const uint64_t *end) {
  struct dh_run *run = dh_run_of(thread, clones, group);
  const uint64_t *next = record + 1 + dh_record_values(record[0]);
  if (run->direct != 0)
    return take_direct(thread, clones, record, end);
  if (run->count > 1 && run->epoch == thread->epoch + 1) {
    const uint64_t *after = go_on(group, run, record, end);
    if (after != record)
      return after;
  }
  take(thread, clones, group, run, dh_record_group(record[0]), record + 1);
  return next;
}

/* ---- the raw buffer ---- */

static void take_ordered(struct dh_thread *thread, const struct dh_clones *clones,
                         const struct dh_group *group, const uint64_t *values) {
  const struct dh_group_access *access = &group->access[0];
  uintptr_t base = access->value == DH_NO_VALUE ? clones->image : values[access->value];
  struct dh_ordered *ordered = &own_of(thread)->filter.ordered;
  ordered->address = base + (intptr_t)access->displacement;
  ordered->size = access->size;
  ordered->flags = access->flags;
  ordered->site = clones->first_site + access->site;
}

void dh_runs_drain(struct dh_thread *thread) {
  const struct dh_clones *clones = dh_clones;
  dh_log_notice_fork(thread);
  const uint64_t *at = (const uint64_t *)thread->undrained;
  const uint64_t *end = (const uint64_t *)thread->cursor;
  while (at < end) {
    uint32_t number = dh_record_group(at[0]);
    if (__builtin_expect(number - clones->first_group >= clones->groups, 0))
      clones = dh_clones_of(number);
    const struct dh_group *group = dh_group(clones, number);
    if (__builtin_expect(group->access[0].flags & (DH_ATOMIC | DH_ROW_LOOP | DH_ROW_EXIT), 0)) {
      if (group->access[0].flags & DH_ATOMIC)
        take_ordered(thread, clones, group, at + 1);
      else
        dh_loop_record(thread, clones, group, number, at + 1);
      at += 1 + dh_record_values(at[0]);
    } else {
      at = take_record(thread, clones, group, at, end);
    }
  }
  thread->cursor = thread->undrained = thread->buffer;
}
