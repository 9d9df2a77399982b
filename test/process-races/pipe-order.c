/* Three processes change a file; in the twin a token that goes round orders all they do. */
#include "race.h"

static int ring[4][2];
static int uses_ring;
static void take(int from) {
  char bytes[5];
  if (uses_ring) must(read(ring[from][0], bytes, 5));
}
static void give(int to) {
  if (uses_ring) must(write(ring[to][1], "token", 5));
}
static void work(int number) {
  take(number);
  write_data();
  give(number + 1);
}
static void first(void) { work(0); }
static void second(void) { work(1); }
static void third(void) { work(2); }
static void run(void) {
  for (int number = 0; number < 4; number++) must(pipe(ring[number]));
  pid_t workers[] = {child(third), child(second), child(first)};
  give(0);
  take(3);
  if (uses_ring) read_data();
  for (int number = 0; number < 3; number++) collect(workers[number]);
}

static void racy(void) { run(); }
static void fixed(void) {
  uses_ring = 1;
  run();
}
