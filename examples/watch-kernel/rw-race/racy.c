/*
 * RWrace of the DRDDR paper: one thread writes a random number, another one reads it, and nothing orders them.
 *
 * Race: value, in write_value and read_value.
 */
#include "../racers.h"
#include <linux/random.h>

static u32 value;
/* The reader's own. */
static u32 sum;

static noinline void write_value(void) { value = get_random_u32(); }

static noinline void read_value(void) { sum += value; }

static struct racer racers[] = {{write_value, 0, "writer"}, {read_value, 1, "reader"}};
RACERS(racers)
