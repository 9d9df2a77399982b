/* One process asks whether it may write a file while another changes its mode. */
#include "race.h"

static void change(void) { must(chmod("data", 0400)); }
static void ask(void) { access("data", W_OK); }

static void racy(void) { both(change, ask); }
static void fixed(void) { in_turn(change, ask); }
