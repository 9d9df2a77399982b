/*
 * A thread that adds a descriptor to an epoll set hands over what belongs to it, to whoever gets the event:
 *
 *   listener: accept · fill in a connection · epoll_ctl(ADD, data: the connection)
 *   worker:   epoll_wait → that data · use the connection · epoll_ctl(MOD)
 *
 * As with a semaphore: a post before epoll_ctl, and for each event a wait that is done. epoll_ctl and epoll_wait
 * are system calls: what is logged here is small beside them.
 */
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "../real.h"
#include "sync.h"

DH_REAL(int, epoll_ctl, (int set, int op, int fd, struct epoll_event *event), (set, op, fd, event))
DH_REAL(int, epoll_wait, (int set, struct epoll_event *events, int most, int timeout),
        (set, events, most, timeout))
DH_REAL(int, epoll_pwait,
        (int set, struct epoll_event *events, int most, int timeout, const sigset_t *mask),
        (set, events, most, timeout, mask))
DH_REAL(int, epoll_pwait2,
        (int set, struct epoll_event *events, int most, const struct timespec *timeout,
         const sigset_t *mask),
        (set, events, most, timeout, mask))

static const void *object_of(int set, uint64_t data) {
  return (const void *)(DH_EPOLL_OBJECT | ((uint64_t)set & 0x7fff) << 48 | (data & 0xffffffffffff));
}

DH_HOOK int epoll_ctl(int set, int op, int fd, struct epoll_event *event) {
  if (op != EPOLL_CTL_DEL && event != NULL)
    dh_release(DH_OP_POST, object_of(set, event->data.u64));
  return real_epoll_ctl(set, op, fd, event);
}

static inline int got(int count, int set, const struct epoll_event *events) {
  for (int i = 0; i < count; i++)
    dh_acquire(DH_OP_WAIT_DONE, object_of(set, events[i].data.u64), 0);
  return count;
}

DH_HOOK int epoll_wait(int set, struct epoll_event *events, int most, int timeout) {
  return got(real_epoll_wait(set, events, most, timeout), set, events);
}

DH_HOOK int epoll_pwait(int set, struct epoll_event *events, int most, int timeout,
                        const sigset_t *mask) {
  return got(real_epoll_pwait(set, events, most, timeout, mask), set, events);
}

DH_HOOK int epoll_pwait2(int set, struct epoll_event *events, int most,
                         const struct timespec *timeout, const sigset_t *mask) {
  return got(real_epoll_pwait2(set, events, most, timeout, mask), set, events);
}
