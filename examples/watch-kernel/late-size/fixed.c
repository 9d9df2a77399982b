/* The same, but an object is complete before anybody can find it. */
#include "../racers.h"
#include <linux/spinlock.h>

struct object {
  unsigned int size;
  unsigned int number;
};

static DEFINE_SPINLOCK(lock);
static struct object objects[16];
static struct object *newest;
/* The creator's own. */
static unsigned int created;

static noinline void create_object(void) {
  struct object *object = &objects[created % ARRAY_SIZE(objects)];
  object->number = created++;
  object->size = 4096;
  spin_lock(&lock);
  newest = object;
  spin_unlock(&lock);
}

static noinline void append_to_object(void) {
  spin_lock(&lock);
  if (newest)
    newest->size += 16;
  spin_unlock(&lock);
}

static struct racer racers[] = {{create_object, 0, "creator"}, {append_to_object, 1, "appender"}};
RACERS(racers)
