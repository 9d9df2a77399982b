/* Runs on registers alone and without libc: clones come here with vector registers in use. */
#include "loops.h"

/* The rows of a way in: the first says what the loop is, the last say how each value moves. */
static uint32_t certain(const struct dh_group *group) { return group->access[0].count; }
static uint32_t stack_value(const struct dh_group *group) { return group->access[0].size; }
static uint32_t accesses_in(const struct dh_group *group) { return group->access[0].site; }
static const struct dh_group_access *accesses_of(const struct dh_group *group) {
  return &group->access[1];
}
static const struct dh_group_access *steps_of(const struct dh_group *group) {
  return &group->access[1 + accesses_in(group)];
}

/* A loop's state: `count` is 1 from the way in to the way out, and `shorts` the epoch then, plus one. */
static int is_under_way(const struct dh_run *run) { return run->count != 0; }
#define BEGAN(run) ((run)->shorts)

/* More are taken in pieces. */
#define MOST_AT_ONCE (1u << 30)

void dh_loop_interrupted(struct dh_thread *thread, const struct dh_clones *clones,
                         const struct dh_group *group, struct dh_run *run) {
  if (is_under_way(run) && certain(group) != 0)
    dh_run_end(thread, clones, accesses_of(group), certain(group), run, 1);
}

static void begin(struct dh_thread *thread, const struct dh_clones *clones,
                  const struct dh_group *group, uint32_t number, const uint64_t *values) {
  struct dh_run *run = dh_run_of(thread, clones, group);
  /* It was left by a jump out of a handler, or this is a handler. */
  if (is_under_way(run) && run->epoch == thread->epoch + 1)
    dh_loop_interrupted(thread, clones, group, run);
  dh_run_begin(thread, number, group, run, values);
  BEGAN(run) = thread->epoch + 1;
}

/* From where the values were on the way in. */
static void take(struct dh_thread *thread, const struct dh_clones *clones,
                 const struct dh_group *group, struct dh_run *run, uint64_t iterations,
                 uint32_t done) {
  uint32_t all = accesses_in(group);
  if (done == all) {
    iterations++;
    done = 0;
  }
  const struct dh_group_access *steps = steps_of(group);
  for (int i = 0; i < group->values; i++)
    run->value[i].step = (uint64_t)(int64_t)steps[i].displacement +
                         (steps[i].value == DH_NO_VALUE ? 0 : run->value[steps[i].value].last);
  while (iterations > 0) {
    uint32_t count = iterations < MOST_AT_ONCE ? iterations : MOST_AT_ONCE;
    for (int i = 0; i < group->values; i++)
      run->value[i].last += (count - 1) * run->value[i].step;
    dh_run_end(thread, clones, accesses_of(group), all, run, count);
    for (int i = 0; i < group->values; i++)
      run->value[i].last += run->value[i].step;
    iterations -= count;
  }
  if (done > 0)
    dh_run_end(thread, clones, accesses_of(group), done, run, 1);
}

static void end(struct dh_thread *thread, const struct dh_clones *clones,
                const struct dh_group *exit, uint32_t number, const uint64_t *values) {
  const struct dh_group_access *row = &exit->access[0];
  const struct dh_group *group = dh_group(clones, number - row->size);
  struct dh_run *run = dh_run_of(thread, clones, group);
  if (!is_under_way(run) || run->value[stack_value(group)].last != values[1])
    return;
  run->count = 0;
  if (BEGAN(run) != thread->epoch + 1)
    return;
  int64_t step = group->access[0].displacement;
  int64_t moved = values[0] - run->value[group->access[0].value].last - (int64_t)row->displacement;
  int64_t iterations = moved / step;
  /* Nobody makes more than there are addresses: if it seems so, the two do not belong together. */
  if (iterations * step == moved && iterations >= 0 && iterations >> 47 == 0)
    take(thread, clones, group, run, iterations, row->count);
}

void dh_loop_record(struct dh_thread *thread, const struct dh_clones *clones,
                    const struct dh_group *group, uint32_t number, const uint64_t *values) {
  if (dh_is_loop(group))
    begin(thread, clones, group, number, values);
  else
    end(thread, clones, group, number, values);
}
