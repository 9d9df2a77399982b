/*
 * What ext2 did before Linux 2.6.39, without the file system: a file's links are counted under its lock, but for
 * renaming, which gives it the new name and then takes the old one without. A count that was read before and is
 * written after somebody else's is wrong for ever: the file goes while it has a name, or stays without one.
 *
 * Race: file.links, in rename_file and in link_file or unlink_file.
 */
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
  file.links++;
  /* The folder's entries change here. */
  barrier();
  file.links--;
}

static struct racer racers[] = {
    {rename_file, 0, "renamer"}, {link_file, 1, "linker"}, {unlink_file, 1, "unlinker"}};
RACERS(racers)
