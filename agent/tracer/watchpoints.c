/*
 * Watchpoints by perf events, as src/watch/ptrace/perf-watchpoints.ts has them: a thread that touches the bytes gets
 * SIGTRAP with the look's word before its next instruction.
 *
 *   8 bytes at 0x5003   ->   1 at 0x5003, 4 at 0x5004, 2 at 0x5008, 1 at 0x500a
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "watchpoints.h"

static struct dh_event *events_of(const struct dh_look *look) {
  return (struct dh_event *)look->events;
}

/* The largest piece that a debug register can have at this address, of so many bytes that are left. */
static uint64_t fitting(uint64_t address, uint64_t left) {
  uint64_t size = 8;
  while (size > left || address % size != 0)
    size /= 2;
  return size;
}

static int watch(const struct dh_look *look, int task, uint64_t address, uint64_t size, int stores) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_BREAKPOINT,
      .size = sizeof attributes,
      .sample_period = 1,
      .bp_type = stores ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW,
      .bp_addr = address,
      .bp_len = size,
      .exclude_kernel = 1,
      .exclude_hv = 1,
      .remove_on_exec = 1,
      .sigtrap = 1,
      .sig_data = look->word,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, task, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int dh_arm(struct dh_look *look, const struct dh_window *window, const struct dh_place *place) {
  const uint64_t address = window->touched;
  const uint64_t *threads = (const uint64_t *)look->threads;
  const int stores = (place->flags & DH_WRITTEN) == 0;
  look->event_count = 0;
  for (uint64_t i = 0; i < look->thread_count; i++) {
    if (threads[i] == window->holder)
      continue;
    uint64_t done = 0;
    for (int piece = 0; piece < DH_PIECES && done < place->size; piece++) {
      const uint64_t size = fitting(address + done, place->size - done);
      const int fd = watch(look, (int)threads[i], address + done, size, stores);
      if (fd < 0 && errno == ESRCH)
        break; /* it has ended just now */
      if (fd < 0) {
        dh_disarm(look);
        return 0;
      }
      events_of(look)[look->event_count++] = (struct dh_event){(uint32_t)threads[i], (uint32_t)fd};
      done += size;
    }
  }
  return 1;
}

void dh_disarm(struct dh_look *look) {
  for (uint64_t i = 0; i < look->event_count; i++)
    close((int)events_of(look)[i].fd);
  look->event_count = 0;
}
