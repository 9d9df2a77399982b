/* A file is cut short while another process reads what is cut off; the twin cuts behind that. */
#include "race.h"

static int length;
static void cut(void) { must(truncate("data", length)); }

static void racy(void) { both(cut, read_data); }
static void fixed(void) {
  length = 3;
  both(cut, read_data);
}
