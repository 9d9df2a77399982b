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

static uint32_t own_pid(void) { return (uint32_t)DH_SYSCALL(SYS_getpid, 0, 0, 0, 0); }
static uint32_t own_thread(void) { return (uint32_t)DH_SYSCALL(SYS_gettid, 0, 0, 0, 0); }

static void fill_in(struct dh_tolerate_event *event, const struct dh_words_race *race) {
  uint32_t shift = 8 * lowest_byte(race->mask);
  event->section = dh_sections.section;
  event->pid = own_pid();
  event->thread = own_thread();
  event->race = (uint8_t)race->race;
  event->kept = (uint8_t)race->kept;
  event->tolerated = (uint8_t)race->tolerated;
  event->size = (uint8_t)bytes_in(race->mask);
  event->address = race->address + lowest_byte(race->mask);
  event->original = (race->original & race->mask) >> shift;
  event->ours = (race->ours & race->mask) >> shift;
  event->theirs = (race->theirs & race->mask) >> shift;
  __atomic_store_n(&event->state, 2, __ATOMIC_RELEASE);
}

static void add_sighting(uint64_t address, uint64_t since) {
  uint64_t number = __atomic_add_fetch(&dh_events->sighted, 1, __ATOMIC_RELAXED);
  struct dh_tolerate_sighting *at = &dh_events->sightings[number % DH_TOLERATE_SIGHTINGS];
  __atomic_store_n(&at->number, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  at->pid = own_pid();
  at->thread = own_thread();
  at->section = dh_sections.section;
  at->address = address;
  at->since = since;
  at->until = dh_time();
  __atomic_store_n(&at->number, number, __ATOMIC_RELEASE);
}

void dh_events_tell(const struct dh_words_race *race) {
  uint64_t address = race->address + lowest_byte(race->mask);
  struct dh_tolerate_event *event = event_for(dh_sections.section, address, race->race);
  if (event == NULL) {
    __atomic_add_fetch(&dh_events->lost, 1, __ATOMIC_RELAXED);
  } else {
    uint64_t count = __atomic_add_fetch(&event->count, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&event->state, __ATOMIC_ACQUIRE) == 1)
      fill_in(event, race);
    else if (!race->tolerated)
      event->tolerated = 0;
    event->last_pid = own_pid();
    if (count == 2)
      __atomic_add_fetch(&dh_events->repeated, 1, __ATOMIC_RELEASE);
  }
  if (race->since != 0)
    add_sighting(address, race->since);
  if (!race->tolerated && (dh_events->options & DH_TOLERATE_HALT))
    halt();
}

void dh_events_add_outside(void) { __atomic_add_fetch(&dh_events->outside, 1, __ATOMIC_RELAXED); }
