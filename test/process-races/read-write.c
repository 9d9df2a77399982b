/* One process reads the bytes that another writes; the twin waits until they are written. */
#include "race.h"

static void racy(void) { both(write_data, read_data); }
static void fixed(void) { in_turn(write_data, read_data); }
