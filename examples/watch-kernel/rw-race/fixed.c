/* The same with a lock. */
#include "../racers.h"
#include <linux/random.h>
#include <linux/spinlock.h>

static DEFINE_SPINLOCK(lock);
static u32 value;
/* The reader's own. */
static u32 sum;

static noinline void write_value(void) {
  u32 number = get_random_u32();
  spin_lock(&lock);
  value = number;
  spin_unlock(&lock);
}

static noinline void read_value(void) {
  spin_lock(&lock);
  sum += value;
  spin_unlock(&lock);
}

static struct racer racers[] = {{write_value, 0, "writer"}, {read_value, 1, "reader"}};
RACERS(racers)
