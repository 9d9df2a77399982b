/*
 * Loaded into the program by LD_PRELOAD, it gives critical sections their clones: the calls that begin them
 * become jumps. Without a file to tell its races to, or with one of another version, it does nothing at all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../blob-file.h"
#include "../real.h"
#include "events.h"
#include "sections.h"

struct dh_words_mode dh_mode = {
    .tell = dh_events_tell, .watched = &dh_nothing_watched, .tell_outside = dh_events_add_outside};

extern void *const dh_stubs[], *const dh_stubs_end[];

#define IMAGES_MAX 64
static char *frames[IMAGES_MAX];
static int frames_count;

/* Beside the file of events. */
static const char *folder;
static size_t folder_length;

static void refuse(void) {
  dh_events->error = (uint32_t)errno;
  __atomic_add_fetch(&dh_events->refused, 1, __ATOMIC_RELAXED);
}

static int add_image(struct dl_phdr_info *info, size_t size, void *nothing) {
  (void)size;
  (void)nothing;
  struct dh_image_key key = {.length = 0};
  dh_image_key(info, &key);
  const struct dh_blob *blob = dh_blob_open(folder, folder_length, &key);
  if (blob == NULL || frames_count == IMAGES_MAX)
    return 0;
  char *clones = dh_blob_map(info->dlpi_addr, blob);
  if (clones == NULL) {
    refuse();
    return 0;
  }
  memcpy(clones, dh_stubs, (const char *)dh_stubs_end - (const char *)dh_stubs);
  uintptr_t here;
  __asm__("mov %%fs:0, %0" : "=r"(here));
  dh_blob_add(clones, blob, DH_BLOB_THREAD_OFFSETS,
              (int32_t)((intptr_t)&dh_sections - (intptr_t)here));
  if (!dh_blob_finish(clones, blob)) {
    refuse();
    return 0;
  }
  if (blob->unwind_at != 0)
    frames[frames_count++] = clones + blob->unwind_at;
  dh_events->image = info->dlpi_addr;
  uint32_t wanted = blob->tables[DH_BLOB_PATCHES].count / 2, done = dh_blob_patch(info, clones, blob);
  if (done < wanted)
    dh_events->unpatched = wanted - done;
  __atomic_add_fetch(&dh_events->prepared, 1, __ATOMIC_RELAXED);
  return 0;
}

__attribute__((constructor)) static void start(void) {
  dh_find_all();
  const char *path = getenv(DH_TOLERATE_VARIABLE);
  const char *slash = path == NULL ? NULL : strrchr(path, '/');
  if (slash == NULL || !dh_events_open(path))
    return;
  folder = path;
  folder_length = (size_t)(slash - path) + 1;
  dh_mode.watched = &dh_events->watched;
  dh_mode.blind = (dh_events->options & DH_TOLERATE_BLIND) != 0;
  dh_mode.detects = (dh_events->options & DH_TOLERATE_DETECT) != 0;
  dl_iterate_phdr(add_image, NULL);
  dh_blob_register_frames(frames, frames_count);
}
