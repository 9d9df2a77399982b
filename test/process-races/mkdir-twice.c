/* Two processes make the same directory: one of them finds it there already. */
#include "race.h"

static void make(void) { mkdir("folder", 0777); }

static void racy(void) { both(make, make); }
static void fixed(void) { in_turn(make, make); }
