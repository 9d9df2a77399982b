/*
 * A hash table from pthread_t to number that is only ever added to: a pthread_t is an address that
 * is used again, and the newer thread has the larger number. Both the creator and the new thread
 * enter it, so that whoever learnt of the pthread_t, from either, finds it.
 */
#define _GNU_SOURCE
#include "thread-numbers.h"

#include <stddef.h>

#include "process.h"
#include "syscalls.h"

#define SLOTS 65536 /* a power of two; touched only where threads are */
#define TRIES 64

static struct slot {
  unsigned long pthread;
  uint32_t number;
} slots[SLOTS] __attribute__((aligned(4096)));

static struct slot *slot_of(unsigned long pthread, int add) {
  uint64_t hash = (pthread >> 6) * 0x9e3779b97f4a7c15;
  for (uint64_t i = 0; i < TRIES; i++) {
    struct slot *slot = &slots[((hash >> 48) + i) % SLOTS];
    unsigned long found = __atomic_load_n(&slot->pthread, __ATOMIC_ACQUIRE);
    if (found == pthread)
      return slot;
    if (found != 0)
      continue;
    if (!add)
      return NULL;
    if (__atomic_compare_exchange_n(&slot->pthread, &found, pthread, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) ||
        found == pthread)
      return slot;
  }
  return NULL;
}

void dh_remember_thread(unsigned long pthread, uint32_t number) {
  struct slot *slot = slot_of(pthread, 1);
  if (slot == NULL)
    return;
  uint32_t before = __atomic_load_n(&slot->number, __ATOMIC_RELAXED);
  while (before < number && !__atomic_compare_exchange_n(&slot->number, &before, number, 0,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    ;
}

uint32_t dh_number_of_thread(unsigned long pthread) {
  struct slot *slot = slot_of(pthread, 0);
  return slot == NULL ? 0 : __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
}

void dh_forget_threads(void) {
  DH_SYSCALL(SYS_madvise, slots, sizeof slots, 4 /* MADV_DONTNEED: zeros again */, 0);
}

uint32_t dh_new_thread_number(void) {
  uint32_t number = __atomic_add_fetch(&dh_process.threads, 1, __ATOMIC_RELAXED);
  if (number <= DH_THREADS_MAX)
    return number;
  if (number == DH_THREADS_MAX + 1)
    dh_problem(DH_PROBLEM_TOO_MANY_THREADS, 0, 0, "");
  __atomic_store_n(&dh_process.threads, DH_THREADS_MAX + 1, __ATOMIC_RELAXED);
  return 0;
}

void dh_say_thread_name(uint32_t number, uint32_t tid, const char name[16]) {
  uint32_t length = 0;
  while (length < 16 && name[length] != 0)
    length++;
  struct dh_thread_name said = {
      .record = {.kind = DH_KIND_THREAD},
      .process = dh_process.number,
      .thread = number,
      .tid = tid,
      .name_length = length,
  };
  dh_channel_append(&said.record, sizeof said, name, length, NULL, 0);
}
