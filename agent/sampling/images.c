/*
 * dlopen looks at who calls it, for the search path, and so do dlsym and dlmopen. They are not called but jumped
 * to, as the last deed of the hook: the return address stays the caller's. So what dlopen has loaded is looked at
 * when the first dlsym asks for something of it, or a thread is made, or another library is loaded or closed.
 */
#define _GNU_SOURCE
#include "images.h"

#include <dlfcn.h>
#include <link.h>

#include "../process.h"
#include "../real.h"
#include "../syscalls.h"
#include "thread.h"

#define IMAGES_MAX 1024

static struct image {
  uintptr_t begin, end, base;
  int is_seen;
} images[IMAGES_MAX];
static int count;
static int is_looking;
static int has_changed = 1;

/* Who asks for the name of the program itself gets an empty one. */
static char own_path[4096];

static size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length] != 0)
    length++;
  return length;
}

static void say(const struct image *image, const char *path, const char *id, uint32_t id_length,
                int is_gone) {
  size_t path_length = length_of(path);
  struct dh_image said = {
      .record = {.kind = DH_KIND_IMAGE},
      .process = dh_process.number,
      .id_length = id_length,
      .time = dh_now(),
      .load_base = image->base,
      .begin = image->begin,
      .end = image->end,
      .is_gone = (uint32_t)is_gone,
      .path_length = (uint32_t)path_length,
  };
  dh_channel_append(&said.record, sizeof said, id, id_length, path, path_length);
}

/* NULL if it has none. */
static const char *find_build_id(const struct dl_phdr_info *info, uint32_t *length) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE)
      continue;
    const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
    const char *end = at + segment->p_memsz;
    size_t align = segment->p_align == 8 ? 8 : 4;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
      const char *name = at + sizeof *note;
      const char *value = name + ((note->n_namesz + align - 1) & ~(align - 1));
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && name[0] == 'G' && name[1] == 'N') {
        *length = note->n_descsz;
        return value;
      }
      at = value + ((note->n_descsz + align - 1) & ~(align - 1));
    }
  }
  *length = 0;
  return NULL;
}

static struct image extent_of(const struct dl_phdr_info *info) {
  struct image image = {.begin = UINTPTR_MAX, .base = info->dlpi_addr, .is_seen = 1};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD)
      continue;
    if (begin < image.begin)
      image.begin = begin;
    if (begin + segment->p_memsz > image.end)
      image.end = begin + segment->p_memsz;
  }
  return image;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  struct image found = extent_of(info);
  for (int i = 0; i < count; i++) {
    if (images[i].begin == found.begin && images[i].end == found.end && images[i].base == found.base) {
      images[i].is_seen = 1;
      return 0;
    }
  }
  uint32_t id_length;
  const char *id = find_build_id(info, &id_length);
  say(&found, info->dlpi_name[0] == 0 ? own_path : info->dlpi_name, id, id_length, 0);
  if (count < IMAGES_MAX)
    images[count++] = found;
  return 0;
}

static void forget_unseen(void) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    if (images[i].is_seen)
      images[kept++] = images[i];
    else
      say(&images[i], "", NULL, 0, 1);
  }
  count = kept;
}

void dh_images_look(void) {
  if (dh_control == NULL || !__atomic_load_n(&has_changed, __ATOMIC_RELAXED) ||
      __atomic_exchange_n(&is_looking, 1, __ATOMIC_ACQUIRE))
    return;
  __atomic_store_n(&has_changed, 0, __ATOMIC_RELAXED);
  if (own_path[0] == 0)
    DH_SYSCALL(SYS_readlinkat, -100 /* AT_FDCWD */, "/proc/self/exe", own_path, sizeof own_path - 1);
  for (int i = 0; i < count; i++)
    images[i].is_seen = 0;
  dl_iterate_phdr(look_at, NULL);
  forget_unseen();
  __atomic_store_n(&is_looking, 0, __ATOMIC_RELEASE);
}

void dh_images_forked(void) {
  if (is_looking)
    has_changed = 1;
  is_looking = 0;
}

static void changes(void) {
  dh_images_look();
  __atomic_store_n(&has_changed, 1, __ATOMIC_RELAXED);
}

DH_REAL(void *, dlopen, (const char *file, int mode), (file, mode))
DH_REAL(void *, dlmopen, (Lmid_t space, const char *file, int mode), (space, file, mode))
DH_REAL(void *, dlsym, (void *handle, const char *name), (handle, name))
DH_REAL(int, dlclose, (void *handle), (handle))

DH_HOOK void *dlopen(const char *file, int mode) {
  changes();
  return real_dlopen(file, mode);
}

DH_HOOK void *dlmopen(Lmid_t space, const char *file, int mode) {
  changes();
  return real_dlmopen(space, file, mode);
}

DH_HOOK void *dlsym(void *handle, const char *name) {
  dh_images_look();
  return real_dlsym(handle, name);
}

DH_HOOK int dlclose(void *handle) {
  changes();
  int result = real_dlclose(handle);
  dh_images_look();
  return result;
}
