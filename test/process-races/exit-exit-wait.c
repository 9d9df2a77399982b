/*
 * A parent waits for whichever child ends first and writes down its answer. The twin says which
 * child it wants.
 */
#include "race.h"

static void answer_one(void) { _exit(1); }
static void answer_two(void) { _exit(2); }
static void write_down(int status) {
  char digit = '0' + WEXITSTATUS(status);
  int fd = must(open("data", O_WRONLY));
  must(pwrite(fd, &digit, 1, 0));
}

static void racy(void) {
  int status;
  child(answer_one);
  child(answer_two);
  must(wait(&status));
  write_down(status);
  must(wait(&status));
}
static void fixed(void) {
  int status;
  pid_t first = child(answer_one), second = child(answer_two);
  must(waitpid(first, &status, 0));
  write_down(status);
  must(waitpid(second, &status, 0));
}
