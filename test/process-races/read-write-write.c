/* One process reads what two others write; in the twin each hands on to the next. */
#include "race.h"

static int turns[2][2];
static void pass_on(int turn) { must(write(turns[turn][1], "next", 4)); }
static void await_turn(int turn) {
  char bytes[4];
  must(read(turns[turn][0], bytes, 4));
}
static void write_then_pass_on(void) {
  write_data();
  pass_on(0);
}
static void write_in_turn(void) {
  await_turn(0);
  write_data();
  pass_on(1);
}
static void read_in_turn(void) {
  await_turn(1);
  read_data();
}
static void three(void (*a)(void), void (*b)(void), void (*c)(void)) {
  pid_t first = child(a), second = child(b), third = child(c);
  collect(first);
  collect(second);
  collect(third);
}

static void racy(void) { three(write_data, write_data, read_data); }
static void fixed(void) {
  must(pipe(turns[0]));
  must(pipe(turns[1]));
  three(write_then_pass_on, write_in_turn, read_in_turn);
}
