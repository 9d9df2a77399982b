/* Two processes map a file and write to it through memory; the twin's do so in turn. */
#include "race.h"

static void write_mapped(void) {
  int fd = must(open("data", O_RDWR));
  char *bytes = mmap(NULL, 3, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) must(-1);
  bytes[0]++;
}

static void racy(void) { both(write_mapped, write_mapped); }
static void fixed(void) { in_turn(write_mapped, write_mapped); }
