/*
 * Gives the images of this process their clones. Blobs (src/binary/rewrite/blob.ts) lie in the folder `blobs`
 * beside the channel, under the build-id of the image that they were made from (without one, under what tells
 * its file from others); images without a blob are left alone. The order matters: a clone may run as soon as the first function is patched, so patches come last.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "blob-file.h"
#include "groups.h"
#include "process.h"
#include "shadow.h"
#include "thread.h"

/* What clones call, in the order of SlotAt (src/binary/rewrite/agent-interface.ts). */
void dh_stub_full(void);
void dh_stub_ordered_begin(void);
void dh_stub_ordered_end(void);
void dh_stub_translate(void);
static void (*const stubs[])(void) = {dh_stub_full, dh_stub_ordered_begin, dh_stub_ordered_end,
                                      dh_stub_translate};

struct module {
  uintptr_t image;
  char *clones;
  const uint32_t *translations;
  uint32_t translation_bits; /* of the number of places; 0: none */
};
static struct module modules[DH_MODULES_MAX];
static uint32_t module_count;
static uint32_t next_group, next_site;

/* ---- computed jumps ---- */

/* In: an address of an image. Out: that of the clone, if there is one. */
void dh_translate(void) {
  uint64_t *target = &dh_self.spill[3];
  for (uint32_t i = 0; i < module_count; i++) {
    const struct module *module = &modules[i];
    uint64_t from = *target - module->image;
    if (module->translation_bits == 0 || from == 0 || from > UINT32_MAX)
      continue;
    uint32_t last = (1u << module->translation_bits) - 1;
    uint32_t place = (uint32_t)from * 0x9e3779b1u >> (32 - module->translation_bits);
    for (; module->translations[2 * place] != 0; place = (place + 1) & last) {
      if (module->translations[2 * place] != from)
        continue;
      *target = (uintptr_t)module->clones + module->translations[2 * place + 1];
      return;
    }
  }
}

/* ---- loading ---- */

/* The clones at their distance from the image, ready to run; NULL if that cannot be. */
static char *map_clones(uintptr_t image, const struct dh_blob *blob) {
  char *clones = dh_blob_map(image, blob);
  if (clones == NULL)
    return NULL;
  memcpy(clones, stubs, sizeof stubs);
  uintptr_t here;
  __asm__("mov %%fs:0, %0" : "=r"(here));
  dh_blob_add(clones, blob, DH_BLOB_THREAD_OFFSETS, (int32_t)((intptr_t)&dh_self - (intptr_t)here));
  if (next_group != 0)
    dh_blob_add(clones, blob, DH_BLOB_GROUP_NUMBERS, (int32_t)next_group);
  return dh_blob_finish(clones, blob) ? clones : NULL;
}

/* Unwind tables that nobody has been told of yet: the loader cannot be asked while it lists its images. */
static char *new_frames[DH_MODULES_MAX];
static int new_frames_count;

static void register_frames(void) {
  dh_blob_register_frames(new_frames, new_frames_count);
  new_frames_count = 0;
}

static void add_groups(uintptr_t image, const struct dh_blob *blob) {
  struct dh_clones *clones = &dh_clones[module_count];
  clones->first_group = next_group;
  clones->groups = blob->tables[DH_BLOB_GROUP_INDEX].count;
  clones->first_site = next_site;
  clones->state_at = dh_group_state_size;
  clones->group_index = dh_blob_table(blob, DH_BLOB_GROUP_INDEX);
  clones->group_words = dh_blob_table(blob, DH_BLOB_GROUPS);
  clones->image = image;
  next_group += clones->groups;
  next_site += blob->tables[DH_BLOB_SITES].count;
  dh_group_state_size += blob->state_size;
  dh_clones_count = module_count + 1;
}

static void add_translations(struct module *module, const struct dh_blob *blob) {
  uint32_t places = blob->tables[DH_BLOB_TRANSLATIONS].count / 2;
  module->translations = dh_blob_table(blob, DH_BLOB_TRANSLATIONS);
  module->translation_bits = places == 0 ? 0 : __builtin_ctz(places);
}

/* The loader has no name for the program itself. */
static const char *path_of(const struct dl_phdr_info *info) {
  static char program[PATH_MAX];
  if (info->dlpi_name[0] != 0)
    return info->dlpi_name;
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = 0;
  return program;
}

static void say_module(const struct dl_phdr_info *info, const struct dh_blob *blob,
                       const char *clones, uint32_t first_site, uint32_t patched,
                       const struct dh_image_key *key) {
  const char *path = path_of(info);
  struct dh_module said = {
      .record = {.kind = DH_KIND_MODULE},
      .process = dh_process.number,
      .site_base = first_site,
      .load_base = info->dlpi_addr,
      .blob_base = (uintptr_t)clones,
      .patched = patched,
      .refused = blob->tables[DH_BLOB_PATCHES].count / 2 - patched,
      .id_length = key->length,
      .path_length = strlen(path),
  };
  dh_channel_append(&said.record, sizeof said, key->id, key->length, path, strlen(path));
}

static int is_known(uintptr_t image) {
  for (uint32_t i = 0; i < module_count; i++)
    if (modules[i].image == image)
      return 1;
  return 0;
}

static int add_image(struct dl_phdr_info *info, size_t size, void *nothing) {
  (void)size;
  (void)nothing;
  struct dh_image_key key = {.length = 0};
  if (module_count == DH_MODULES_MAX || is_known(info->dlpi_addr))
    return 0;
  dh_image_key(info, &key);
  const struct dh_blob *blob = dh_blob_open(dh_process.folder, dh_process.folder_length, &key);
  if (blob == NULL)
    return 0;
  char *clones = NULL;
  if (dh_group_state_size + (uint64_t)blob->state_size <= DH_GROUP_STATE_MAX)
    clones = map_clones(info->dlpi_addr, blob);
  if (clones == NULL) {
    int why = errno;
    dh_problem(DH_PROBLEM_BLOB, 0, why, path_of(info));
    dh_blob_close(blob);
    return 0;
  }
  uint32_t first_site = next_site;
  struct module *module = &modules[module_count];
  module->image = info->dlpi_addr;
  module->clones = clones;
  add_translations(module, blob);
  add_groups(info->dlpi_addr, blob);
  module_count++;
  if (blob->unwind_at != 0)
    new_frames[new_frames_count++] = clones + blob->unwind_at;
  uint32_t patched = dh_blob_patch(info, clones, blob);
  say_module(info, blob, clones, first_site, patched, &key);
  return 0;
}

int dh_blobs_start(void) {
  if (dh_shadow_start())
    dl_iterate_phdr(add_image, NULL);
  register_frames();
  return (int)module_count;
}

void dh_blobs_changed(void) {
  if (module_count != 0)
    dl_iterate_phdr(add_image, NULL);
  register_frames();
}
