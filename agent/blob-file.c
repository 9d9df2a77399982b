#define _GNU_SOURCE
#include "blob-file.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096ul
#define BLOB_VERSION 4
#define BUILD_ID_MAX 64

/* ---- finding ---- */

static size_t build_id_of(const struct dl_phdr_info *info, const uint8_t **id) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE)
      continue;
    const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
    const char *end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const void *)at;
      const char *name = at + sizeof *note;
      const char *contents = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        *id = (const uint8_t *)contents;
        return note->n_descsz;
      }
      at = contents + ((note->n_descsz + 3) & ~3u);
    }
  }
  return 0;
}

void dh_image_key(const struct dl_phdr_info *info, struct dh_image_key *key) {
  struct stat file;
  key->length = build_id_of(info, &key->id);
  /* Only the program itself has no name. */
  const char *path = info->dlpi_name[0] == 0 ? "/proc/self/exe" : info->dlpi_name;
  if (key->length != 0 || stat(path, &file) != 0)
    return;
  key->file.device = file.st_dev;
  key->file.inode = file.st_ino;
  key->file.size = file.st_size;
  key->file.changed = file.st_ctim.tv_sec;
  key->file.changed_nanoseconds = file.st_ctim.tv_nsec;
  key->id = (const uint8_t *)&key->file;
  key->length = sizeof key->file;
}

const struct dh_blob *dh_blob_open(const char *folder, size_t folder_length,
                                   const struct dh_image_key *key) {
  char path[PATH_MAX + 16 + 2 * BUILD_ID_MAX];
  if (key->length == 0 || key->length > BUILD_ID_MAX || folder_length > PATH_MAX)
    return NULL;
  memcpy(path, folder, folder_length);
  char *at = path + folder_length;
  at += sprintf(at, "blobs/");
  for (size_t i = 0; i < key->length; i++)
    at += sprintf(at, "%02x", key->id[i]);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  struct stat file;
  void *mapped = MAP_FAILED;
  if (fstat(fd, &file) == 0 && (size_t)file.st_size >= PAGE)
    mapped = mmap(NULL, file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED)
    return NULL;
  const struct dh_blob *blob = mapped;
  if (memcmp(blob->magic, "DHBLOB\0", 8) == 0 && blob->version == BLOB_VERSION)
    return blob;
  munmap(mapped, file.st_size);
  return NULL;
}

/* The last table is at the end of the file. */
void dh_blob_close(const struct dh_blob *blob) {
  munmap((void *)blob, blob->tables[DH_BLOB_RETURNS].at + 4ul * blob->tables[DH_BLOB_RETURNS].count);
}

/* ---- mapping ---- */

static size_t mapped_size(const struct dh_blob *blob) {
  return (blob->mapped_size + PAGE - 1) & ~(PAGE - 1);
}

char *dh_blob_map(uintptr_t image, const struct dh_blob *blob) {
  size_t size = mapped_size(blob);
  char *place = (char *)(image + blob->base);
  char *clones = mmap(place, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (clones == MAP_FAILED)
    return NULL;
  if (clones != place) {
    munmap(clones, size);
    errno = EEXIST;
    return NULL;
  }
  memcpy(clones, (const char *)blob + blob->mapped_at, blob->mapped_size);
  return clones;
}

void dh_blob_add(char *clones, const struct dh_blob *blob, enum dh_blob_table which, int32_t amount) {
  const uint32_t *places = dh_blob_table(blob, which);
  for (uint32_t i = 0; i < blob->tables[which].count; i++) {
    int32_t value;
    memcpy(&value, clones + places[i], sizeof value);
    value += amount;
    memcpy(clones + places[i], &value, sizeof value);
  }
}

int dh_blob_finish(char *clones, const struct dh_blob *blob) {
  if (mprotect(clones, mapped_size(blob), PROT_READ | PROT_EXEC) == 0)
    return 1;
  int why = errno;
  munmap(clones, mapped_size(blob));
  errno = why;
  return 0;
}

void dh_blob_register_frames(char *const *frames, int count) {
  if (count == 0)
    return;
  void (*add)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "__register_frame");
  if (add == NULL) {
    void *unwinder = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
    add = unwinder ? (void (*)(void *))dlsym(unwinder, "__register_frame") : NULL;
  }
  for (int i = 0; add != NULL && i < count; i++)
    add(frames[i]);
}

/* ---- patching ---- */

/* Pages of the image, as they are and with writing allowed. */
struct pages {
  uintptr_t start, end;
};

static struct pages code_of(const struct dl_phdr_info *info, uintptr_t at) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) && at - start < segment->p_memsz)
      return (struct pages){start & ~(PAGE - 1),
                            (start + segment->p_memsz + PAGE - 1) & ~(PAGE - 1)};
  }
  return (struct pages){0, 0};
}

uint32_t dh_blob_patch(const struct dl_phdr_info *info, const char *clones,
                       const struct dh_blob *blob) {
  const uint32_t *patches = dh_blob_table(blob, DH_BLOB_PATCHES);
  uint32_t done = 0;
  struct pages open = {0, 0};
  for (uint32_t i = 0; i < blob->tables[DH_BLOB_PATCHES].count / 2; i++) {
    char *at = (char *)(info->dlpi_addr + patches[2 * i]);
    if ((uintptr_t)at - open.start >= open.end - open.start) {
      if (open.end != 0)
        mprotect((void *)open.start, open.end - open.start, PROT_READ | PROT_EXEC);
      open = code_of(info, (uintptr_t)at);
      if (open.end == 0 || mprotect((void *)open.start, open.end - open.start,
                                    PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        open = (struct pages){0, 0};
        continue;
      }
    }
    int32_t distance = (int32_t)(clones + patches[2 * i + 1] - (at + 5));
    at[0] = (char)0xe9;
    memcpy(at + 1, &distance, sizeof distance);
    done++;
  }
  if (open.end != 0)
    mprotect((void *)open.start, open.end - open.start, PROT_READ | PROT_EXEC);
  return done;
}
