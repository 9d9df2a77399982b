/*
 * What eCryptfs did in Linux 3.0-rc1, without the file system: a new object is there for everybody before its size
 * is set. Whoever finds it in between makes it longer, and then that is forgotten.
 *
 * Race: the object's size, in create_object and append_to_object.
 */
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
  spin_lock(&lock);
  newest = object;
  spin_unlock(&lock);
  object->size = 4096;
}

static noinline void append_to_object(void) {
  spin_lock(&lock);
  if (newest)
    newest->size += 16;
  spin_unlock(&lock);
}

static struct racer racers[] = {{create_object, 0, "creator"}, {append_to_object, 1, "appender"}};
RACERS(racers)
