/* The same, but renaming takes the lock for both changes. */
#include "../racers.h"
#include <linux/mutex.h>

static struct {
  struct mutex lock;
  unsigned int links;
} file = {.lock = __MUTEX_INITIALIZER(file.lock), .links = 1};

static noinline void link_file(void) {
  mutex_lock(&file.lock);
  file.links++;
  mutex_unlock(&file.lock);
}

static noinline void unlink_file(void) {
  mutex_lock(&file.lock);
  file.links--;
  mutex_unlock(&file.lock);
}

static noinline void rename_file(void) {
  mutex_lock(&file.lock);
  file.links++;
  /* The folder's entries change here. */
  barrier();
  file.links--;
  mutex_unlock(&file.lock);
}

static struct racer racers[] = {
    {rename_file, 0, "renamer"}, {link_file, 1, "linker"}, {unlink_file, 1, "unlinker"}};
RACERS(racers)
