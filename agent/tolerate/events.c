#define _GNU_SOURCE
#include "events.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../syscalls.h"
#include "sections.h"

struct dh_tolerate_file *dh_events;

int dh_events_open(const char *path) {
  long fd = DH_SYSCALL(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (dh_failed(fd))
    return 0;
  struct stat file;
  long mapped = -1;
  if (DH_SYSCALL(SYS_fstat, fd, &file, 0, 0) == 0 &&
      (uint64_t)file.st_size >= sizeof(struct dh_tolerate_file))
    mapped = dh_syscall6(SYS_mmap, 0, sizeof(struct dh_tolerate_file), PROT_READ | PROT_WRITE,
                         MAP_SHARED, fd, 0);
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  if (dh_failed(mapped))
    return 0;
  dh_events = (struct dh_tolerate_file *)mapped;
  return dh_events->magic == DH_TOLERATE_MAGIC && dh_events->version == DH_TOLERATE_VERSION;
}

static uint32_t lowest_byte(uint64_t mask) { return (uint32_t)__builtin_ctzll(mask) / 8; }
static uint32_t bytes_in(uint64_t mask) {
  return 8 - (uint32_t)__builtin_clzll(mask) / 8 - lowest_byte(mask);
}

static void halt(void) {
  __atomic_store_n(&dh_events->halted, 1, __ATOMIC_RELEASE);
  DH_SYSCALL(SYS_kill, DH_SYSCALL(SYS_getpid, 0, 0, 0, 0), SIGKILL, 0, 0);
}

/* The one of this place, or a free one; NULL if there is none. */
static struct dh_tolerate_event *event_for(uint32_t section, uint64_t address, uint32_t race) {
  uint32_t first = (uint32_t)((address >> 3) * 0x9e3779b1u + section * 31 + race);
  for (uint32_t i = 0; i < 64; i++) {
    struct dh_tolerate_event *event = &dh_events->events[(first + i) % DH_TOLERATE_EVENTS];
    uint32_t free = 0;
    if (__atomic_compare_exchange_n(&event->state, &free, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return event;
    if (event->section == section && event->address == address && event->race == race)
      return event;
  }
  return NULL;
}

void dh_events_tell(void *nothing, uint64_t address, uint64_t mask, uint64_t original, uint64_t ours,
                    uint64_t theirs, uint32_t race, uint32_t kept, uint32_t tolerated) {
  (void)nothing;
  uint32_t section = dh_sections.section, shift = 8 * lowest_byte(mask);
  address += lowest_byte(mask);
  struct dh_tolerate_event *event = event_for(section, address, race);
  if (event == NULL) {
    __atomic_add_fetch(&dh_events->lost, 1, __ATOMIC_RELAXED);
  } else {
    __atomic_add_fetch(&event->count, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&event->state, __ATOMIC_ACQUIRE) == 1) {
      event->section = section;
      event->pid = (uint32_t)DH_SYSCALL(SYS_getpid, 0, 0, 0, 0);
      event->race = (uint8_t)race;
      event->kept = (uint8_t)kept;
      event->tolerated = (uint8_t)tolerated;
      event->size = (uint8_t)bytes_in(mask);
      event->address = address;
      event->original = (original & mask) >> shift;
      event->ours = (ours & mask) >> shift;
      event->theirs = (theirs & mask) >> shift;
      __atomic_store_n(&event->state, 2, __ATOMIC_RELEASE);
    } else if (!tolerated)
      event->tolerated = 0;
  }
  if (!tolerated && (dh_events->options & DH_TOLERATE_HALT))
    halt();
}
