#include "devices.h"

struct dh_devices dh_devices;

static uint64_t area_of(const void *at, size_t size) {
  uint64_t low = (uint64_t)at >> DH_PAGE_BITS;
  uint64_t pages = (size + (1ull << DH_PAGE_BITS) - 1) >> DH_PAGE_BITS;
  return low << DH_PAGES_BITS | pages;
}

void dh_devices_add(const void *at, size_t size) {
  uint64_t area = area_of(at, size);
  for (uint32_t i = 0; i < DH_DEVICES; i++) {
    uint64_t none = 0;
    if (!__atomic_compare_exchange_n(&dh_devices.areas[i], &none, area, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      continue;
    uint32_t count = dh_devices_count();
    while (count <= i && !__atomic_compare_exchange_n(&dh_devices.count, &count, i + 1, 0,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      ;
    return;
  }
  __atomic_store_n(&dh_devices.count, DH_DEVICES + 1, __ATOMIC_RELAXED);
}

int dh_devices_give_up(const void *at, size_t size) {
  uint64_t given = area_of(at, size);
  uint32_t count = dh_devices_count();
  int found = 0;
  for (uint32_t i = 0; i < count && i < DH_DEVICES; i++) {
    uint64_t area = __atomic_load_n(&dh_devices.areas[i], __ATOMIC_RELAXED);
    uint64_t before = dh_device_page(area) - dh_device_page(given);
    if (area == 0 || before >= dh_device_pages(given) || dh_device_pages(area) > dh_device_pages(given) - before)
      continue;
    __atomic_store_n(&dh_devices.areas[i], 0, __ATOMIC_RELAXED);
    found = 1;
  }
  return found;
}
