/*
 * What the programs here have in common. Each has two halves: `racy`, and `fixed`, its twin, which
 * does the same but puts it in order.
 *
 *   ./append-log racy      ./append-log fixed
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void racy(void);
static void fixed(void);

/* A program that cannot do its part must not pass for one without a race. */
#define must(result) must_at((long)(result), #result, __FILE__, __LINE__)

__attribute__((unused)) static long must_at(long result, const char *what, const char *file,
                                            int line) {
  if (result >= 0) return result;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, strerror(errno));
  exit(3);
}

__attribute__((unused)) static pid_t child(void (*body)(void)) {
  pid_t pid = must(fork());
  if (pid != 0) return pid;
  body();
  _exit(0);
}

__attribute__((unused)) static void collect(pid_t pid) { must(waitpid(pid, NULL, 0)); }

/* Two children at once, collected one after the other by their numbers. */
__attribute__((unused)) static void both(void (*one)(void), void (*other)(void)) {
  pid_t first = child(one), second = child(other);
  collect(first);
  collect(second);
}

/* The same, but the second begins when the first has ended. */
__attribute__((unused)) static void in_turn(void (*one)(void), void (*other)(void)) {
  collect(child(one));
  collect(child(other));
}

__attribute__((unused)) static void make_file(const char *name, const char *text) {
  int fd = must(open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666));
  must(write(fd, text, strlen(text)));
  must(close(fd));
}

/* Changes the first bytes of a file that is there. */
__attribute__((unused)) static void write_to(const char *name) {
  int fd = must(open(name, O_WRONLY));
  must(pwrite(fd, "new", 3, 0));
  must(close(fd));
}

__attribute__((unused)) static void read_from(const char *name) {
  char bytes[3];
  int fd = must(open(name, O_RDONLY));
  must(pread(fd, bytes, sizeof bytes, 0));
  must(close(fd));
}

/* The usual two sides: one process changes the file `data`, another reads it. */
__attribute__((unused)) static void write_data(void) { write_to("data"); }
__attribute__((unused)) static void read_data(void) { read_from("data"); }

/* A pipe through which one process tells another to go on. */
static int gate[2];
__attribute__((unused)) static void make_gate(void) { must(pipe(gate)); }
__attribute__((unused)) static void open_gate(void) { must(write(gate[1], "go on", 5)); }
__attribute__((unused)) static void pass_gate(void) {
  char bytes[5];
  if (read(gate[0], bytes, 5) != 5) must(-1);
}

/*
 * Memory that the processes share. What happens there no system call tells, so it brings calls into
 * an order in this run without putting them in order for the recording: another run of a program
 * that lacks it could swap them.
 */
static volatile int *unseen;
__attribute__((unused)) static void reach(int step) { *unseen = step; }
__attribute__((unused)) static void await_unseen(int step) {
  while (*unseen < step) usleep(500);
}

int main(int count, char **arguments) {
  unseen = mmap(NULL, sizeof *unseen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (unseen == MAP_FAILED) must(-1);
  make_file("data", "old");
  if (count > 1 && strcmp(arguments[1], "fixed") == 0) fixed();
  else racy();
  return 0;
}
