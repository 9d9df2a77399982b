/* Two children write through one inherited descriptor; the twin's open the file themselves. */
#include "race.h"

static int shared = -1;
static void write_line(const char *name, const char *line) {
  int fd = shared >= 0 ? shared : must(open(name, O_WRONLY | O_CREAT, 0666));
  must(write(fd, line, strlen(line)));
}
static void first(void) { write_line("first", "first\n"); }
static void second(void) { write_line("second", "second\n"); }

static void racy(void) {
  shared = must(open("data", O_WRONLY));
  both(first, second);
}
static void fixed(void) { both(first, second); }
