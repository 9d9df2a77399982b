/*
 * Accesses that are known by construction, for test/accesses.test.ts. Each step is one epoch: `separate` ends
 * it. Prints where everything is; `main` reads it all after the other thread has ended, so that it is shared.
 */
#include <emmintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP static __attribute__((noinline)) void
#define ELEMENTS 1000
#define NODES 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int written, read_first, updated;
static volatile struct {
  char one;
  short two;
  int four;
  long eight;
} sizes;
static volatile long array[ELEMENTS];
static volatile char backwards[ELEMENTS];
static struct node {
  struct node *volatile next;
  long payload;
} *nodes[NODES];
static char source[256], target[256], copied[256];
static __m128i vectors[16];
static volatile int *volatile pointer;
static volatile int branched[2];
static volatile long sink;

STEP separate(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

STEP write_twice(void) {
  written = 1;
  written = 2;
  sink += written;
}

STEP read_then_write(void) {
  sink += read_first;
  read_first = 3;
  sink += read_first;
}

STEP update(void) { __asm__ volatile("addl $1, %0" : "+m"(updated)); }

STEP write_sizes(void) {
  sizes.one = 1;
  sizes.two = 2;
  sizes.four = 4;
  sizes.eight = 8;
}

STEP fill_array(void) {
  for (int i = 0; i < ELEMENTS; i++)
    array[i] = i;
}

STEP fill_array_again(void) {
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < ELEMENTS; i++)
      array[i] = round;
}

STEP walk_backwards(void) {
  for (int i = ELEMENTS - 1; i >= 0; i -= 3)
    backwards[i] = 1;
}

STEP chase(void) {
  for (struct node *node = nodes[0]; node != NULL; node = node->next)
    ;
}

STEP repeat_move(void) {
  const void *from = source;
  void *to = target;
  size_t count = 25;
  __asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
}

STEP call_copy(void) { memcpy(copied, source, 200 + (sink & 1)); }

STEP move_vectors(void) {
  for (int i = 0; i < 8; i++)
    _mm_store_si128(&vectors[8 + i], _mm_load_si128(&vectors[i]));
}

static volatile int *volatile escaped_at;

STEP escape(void) {
  volatile int escaped = 1;
  pointer = &escaped;
  escaped_at = &escaped;
  escaped = 2;
  *pointer = 3;
}

STEP keep(void) {
  volatile int kept[4] = {1, 2, 3, 4};
  sink += kept[1];
}

static __attribute__((noipa)) void branch(int which) {
  if (which & 1)
    branched[0] = 1;
  else
    branched[1] = 1;
}

static void *work(void *nothing) {
  void (*const steps[])(void) = {write_twice, read_then_write, update,      write_sizes,
                                 fill_array,  fill_array_again, walk_backwards, chase,
                                 repeat_move, call_copy,    move_vectors,   escape, keep};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    separate();
    steps[i]();
  }
  separate();
  branch(3);
  return nothing;
}

int main(void) {
  for (int i = NODES - 1; i >= 0; i--) {
    nodes[i] = malloc(sizeof *nodes[i]);
    nodes[i]->next = i + 1 < NODES ? nodes[i + 1] : NULL;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
#define SHOW(name) printf(#name " 0x%lx\n", (unsigned long)(name))
  SHOW(&written);
  SHOW(&read_first);
  SHOW(&updated);
  SHOW(&sizes);
  SHOW(array);
  SHOW(backwards);
  SHOW(source);
  SHOW(target);
  SHOW(copied);
  SHOW(vectors);
  SHOW(escaped_at);
  SHOW(branched);
  for (int i = 0; i < NODES; i++)
    printf("node%d 0x%lx\n", i, (unsigned long)nodes[i]);
  return 0;
}
