/*
 * Clones have to be within reach of a jump from their image, so what lies below the images is for them (and for
 * libraries that are loaded later, with theirs). What we have gigabytes of, though hardly any of it is touched,
 * goes elsewhere: between the program's heap and its libraries there are dozens of terabytes that nobody uses.
 */
#include "syscalls.h"

static uintptr_t next = 0x100000000000;

void *dh_map_far(uint64_t size) {
  return dh_map_at(__atomic_fetch_add(&next, size, __ATOMIC_RELAXED), size);
}
