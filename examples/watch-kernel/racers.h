/*
 * Kernel threads for the examples: each runs a step over and over, on a processor of its own choice, until the
 * module is removed.
 *
 *   static struct racer racers[] = {{write_value, 0, "writer"}, {read_value, 1, "reader"}};
 *   RACERS(racers)
 */
#ifndef RACERS_H
#define RACERS_H

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>

struct racer {
  void (*step)(void);
  unsigned int processor;
  const char *name;
  struct task_struct *thread;
};

static int run_racer(void *data) {
  struct racer *racer = data;
  while (!kthread_should_stop()) {
    racer->step();
    /* Others want the processor, too: two of them emulate this one. */
    usleep_range(100, 200);
  }
  return 0;
}

static void stop_racers(struct racer *racers, size_t count) {
  size_t at;
  for (at = 0; at < count; at++)
    kthread_stop(racers[at].thread);
}

static int start_racers(struct racer *racers, size_t count) {
  size_t at;
  for (at = 0; at < count; at++) {
    struct task_struct *thread = kthread_create(run_racer, &racers[at], "%s", racers[at].name);
    if (IS_ERR(thread)) {
      stop_racers(racers, at);
      return PTR_ERR(thread);
    }
    racers[at].thread = thread;
    kthread_bind(thread, racers[at].processor);
    wake_up_process(thread);
  }
  return 0;
}

#define RACERS(racers)                                                                             \
  static int __init start(void) { return start_racers(racers, ARRAY_SIZE(racers)); }               \
  static void __exit stop(void) { stop_racers(racers, ARRAY_SIZE(racers)); }                       \
  module_init(start);                                                                              \
  module_exit(stop);                                                                               \
  MODULE_LICENSE("GPL");                                                                           \
  MODULE_DESCRIPTION("An example for deadheat watch");

#endif
