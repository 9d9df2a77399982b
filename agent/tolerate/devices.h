/*
 * Memory that is none: registers of a device, a ring that the kernel writes to. To read it twice may give two values,
 * and a write has to get there at once, so that sections work on it directly. Known is what was mapped since the
 * program began, by way of libc.
 */
#ifndef DH_DEVICES_H
#define DH_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#define DH_DEVICES 64
#define DH_PAGE_BITS 12
#define DH_PAGES_BITS 28

struct dh_devices {
  uint32_t count; /* of places in use, or that were; more than there are: nobody knows any more what is a device */
  uint32_t padding;
  /* The number of the first page above how many there are, so that both change at once; 0: none. */
  uint64_t areas[DH_DEVICES];
};
extern struct dh_devices dh_devices __attribute__((visibility("hidden")));

void dh_devices_add(const void *at, size_t size);
/* What is given back in part stays on the list. Returns whether any was on it. */
int dh_devices_give_up(const void *at, size_t size);

static inline uint64_t dh_device_page(uint64_t area) { return area >> DH_PAGES_BITS; }
static inline uint64_t dh_device_pages(uint64_t area) { return area & ((1ull << DH_PAGES_BITS) - 1); }

static inline uint32_t dh_devices_count(void) {
  return __atomic_load_n(&dh_devices.count, __ATOMIC_RELAXED);
}

/* Whether all of them are known. */
static inline int dh_devices_known(void) { return dh_devices_count() <= DH_DEVICES; }

static inline int dh_is_device(uint64_t address) {
  uint32_t count = dh_devices_count();
  if (__builtin_expect(count == 0, 1))
    return 0;
  if (count > DH_DEVICES)
    return 1;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t area = __atomic_load_n(&dh_devices.areas[i], __ATOMIC_RELAXED);
    if ((address >> DH_PAGE_BITS) - dh_device_page(area) < dh_device_pages(area))
      return 1;
  }
  return 0;
}

#endif
