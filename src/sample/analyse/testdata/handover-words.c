/* Rings with atomic ends, and others: for handover-words.test.ts. */
#include <stdatomic.h>
#define SIZE 256
static _Atomic unsigned head, tail;
static unsigned plain_head, plain_tail;
long ring[SIZE], plain_ring[SIZE];

void put(long item) {
  unsigned at = atomic_load(&head);
  while (at - atomic_load_explicit(&tail, memory_order_acquire) >= SIZE)
    ;
  ring[at % SIZE] = item;
  atomic_store_explicit(&head, at + 1, memory_order_release);
}

long take(void) {
  unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
  while (atomic_load_explicit(&head, memory_order_acquire) == at)
    ;
  long item = ring[at % SIZE];
  atomic_store_explicit(&tail, at + 1, memory_order_release);
  return item;
}

/* Looks at nothing before. */
void overwrite(long item) {
  ring[7] = item;
  atomic_store_explicit(&head, 8, memory_order_release);
}

void plain_put(long item) {
  while (plain_head - plain_tail >= SIZE)
    __asm__ volatile("" ::: "memory");
  plain_ring[plain_head % SIZE] = item;
  plain_head++;
}

long plain_take(void) {
  while (plain_head == plain_tail)
    __asm__ volatile("" ::: "memory");
  long item = plain_ring[plain_tail % SIZE];
  plain_tail++;
  return item;
}
