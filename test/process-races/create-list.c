/* One process lists a directory while another creates a file in it. */
#include "race.h"
#include <dirent.h>

static void list(void) {
  DIR *folder = opendir("folder");
  if (!folder) must(-1);
  while (readdir(folder)) continue;
  closedir(folder);
}
static void create(void) { must(open("folder/new", O_WRONLY | O_CREAT | O_EXCL, 0666)); }

static void racy(void) {
  must(mkdir("folder", 0777));
  both(create, list);
}
static void fixed(void) {
  must(mkdir("folder", 0777));
  in_turn(create, list);
}
