/*
 * Gives the images of this process their clones. Blobs (src/binary/rewrite/blob.ts) lie in the folder `blobs`
 * beside the channel, under the build-id of the image that they were made from (without one, under what tells
 * its file from others); images without a blob are left alone. The order matters: a clone may run as soon as the first function is patched, so patches come last.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups.h"
#include "process.h"
#include "shadow.h"
#include "thread.h"

#define PAGE 4096ul
#define BLOB_VERSION 4
#define BUILD_ID_MAX 64

enum table {
  PATCHES,
  THREAD_OFFSETS,
  GROUP_NUMBERS,
  GROUP_INDEX,
  GROUPS,
  TRANSLATIONS,
  SITES,
  RETURNS,
  TABLES,
};

struct blob_header {
  char magic[8];
  uint32_t version;
  uint32_t size;
  int64_t base;
  uint32_t mapped_at, mapped_size, code_size, unwind_at;
  uint32_t state_size, functions;
  struct {
    uint32_t at, count;
  } tables[TABLES];
};
_Static_assert(sizeof(struct blob_header) <= 128, "blob header");

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

/* In the place of a build-id, as src/threads/tracing/image-file.ts has it: which file, and in which state. */
struct file_key {
  uint64_t device, inode, size, changed, changed_nanoseconds;
};

static size_t file_key_of(const struct dl_phdr_info *info, struct file_key *key) {
  struct stat file;
  /* Only the program itself has no name. */
  const char *path = info->dlpi_name[0] == 0 ? "/proc/self/exe" : info->dlpi_name;
  if (stat(path, &file) != 0)
    return 0;
  *key = (struct file_key){file.st_dev, file.st_ino, file.st_size, file.st_ctim.tv_sec,
                           file.st_ctim.tv_nsec};
  return sizeof *key;
}

/* Maps the file with the clones of an image; NULL if there is none. */
static const struct blob_header *map_file(const uint8_t *id, size_t length, size_t *size) {
  char path[sizeof dh_process.folder + 16 + 2 * BUILD_ID_MAX];
  if (length == 0 || length > BUILD_ID_MAX)
    return NULL;
  memcpy(path, dh_process.folder, dh_process.folder_length);
  char *at = path + dh_process.folder_length;
  at += sprintf(at, "blobs/");
  for (size_t i = 0; i < length; i++)
    at += sprintf(at, "%02x", id[i]);
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
  *size = file.st_size;
  const struct blob_header *header = mapped;
  if (memcmp(header->magic, "DHBLOB\0", 8) == 0 && header->version == BLOB_VERSION)
    return header;
  munmap(mapped, *size);
  return NULL;
}

static const uint32_t *table(const struct blob_header *header, enum table which) {
  return (const uint32_t *)((const char *)header + header->tables[which].at);
}

static void add_everywhere(char *clones, const struct blob_header *header, enum table which,
                           int32_t amount) {
  const uint32_t *places = table(header, which);
  for (uint32_t i = 0; i < header->tables[which].count; i++) {
    int32_t value;
    memcpy(&value, clones + places[i], sizeof value);
    value += amount;
    memcpy(clones + places[i], &value, sizeof value);
  }
}

/* The clones at their distance from the image, ready to run; NULL if something else is there. */
static char *map_clones(uintptr_t image, const struct blob_header *header) {
  size_t size = (header->mapped_size + PAGE - 1) & ~(PAGE - 1);
  char *place = (char *)(image + header->base);
  char *clones = mmap(place, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (clones == MAP_FAILED)
    return NULL;
  if (clones != place) {
    munmap(clones, size);
    errno = EEXIST;
    return NULL;
  }
  memcpy(clones, (const char *)header + header->mapped_at, header->mapped_size);
  memcpy(clones, stubs, sizeof stubs);
  uintptr_t here;
  __asm__("mov %%fs:0, %0" : "=r"(here));
  add_everywhere(clones, header, THREAD_OFFSETS, (int32_t)((intptr_t)&dh_self - (intptr_t)here));
  if (next_group != 0)
    add_everywhere(clones, header, GROUP_NUMBERS, (int32_t)next_group);
  if (mprotect(clones, size, PROT_READ | PROT_EXEC) == 0)
    return clones;
  munmap(clones, size);
  return NULL;
}

/* Unwind tables that nobody has been told of yet: the loader cannot be asked while it lists its images. */
static char *new_frames[DH_MODULES_MAX];
static int new_frames_count;

/* Whoever throws or cancels must find the way through clones, too. */
static void register_frames(void) {
  if (new_frames_count == 0)
    return;
  void (*add)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "__register_frame");
  if (add == NULL) {
    void *unwinder = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
    add = unwinder ? (void (*)(void *))dlsym(unwinder, "__register_frame") : NULL;
  }
  for (int i = 0; add != NULL && i < new_frames_count; i++)
    add(new_frames[i]);
  new_frames_count = 0;
}

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

/* The first five bytes of each function become a jump to its clone. Returns how many. */
static uint32_t patch(const struct dl_phdr_info *info, const char *clones,
                      const struct blob_header *header) {
  const uint32_t *patches = table(header, PATCHES);
  uint32_t done = 0;
  struct pages open = {0, 0};
  for (uint32_t i = 0; i < header->tables[PATCHES].count / 2; i++) {
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

static void add_groups(uintptr_t image, const struct blob_header *header) {
  struct dh_clones *clones = &dh_clones[module_count];
  clones->first_group = next_group;
  clones->groups = header->tables[GROUP_INDEX].count;
  clones->first_site = next_site;
  clones->state_at = dh_group_state_size;
  clones->group_index = table(header, GROUP_INDEX);
  clones->group_words = table(header, GROUPS);
  clones->image = image;
  next_group += clones->groups;
  next_site += header->tables[SITES].count;
  dh_group_state_size += header->state_size;
  dh_clones_count = module_count + 1;
}

static void add_translations(struct module *module, const struct blob_header *header) {
  uint32_t places = header->tables[TRANSLATIONS].count / 2;
  module->translations = table(header, TRANSLATIONS);
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

static void say_module(const struct dl_phdr_info *info, const struct blob_header *header,
                       const char *clones, uint32_t first_site, uint32_t patched,
                       const uint8_t *id, size_t id_length) {
  const char *path = path_of(info);
  struct dh_module said = {
      .record = {.kind = DH_KIND_MODULE},
      .process = dh_process.number,
      .site_base = first_site,
      .load_base = info->dlpi_addr,
      .blob_base = (uintptr_t)clones,
      .patched = patched,
      .refused = header->tables[PATCHES].count / 2 - patched,
      .id_length = id_length,
      .path_length = strlen(path),
  };
  dh_channel_append(&said.record, sizeof said, id, id_length, path, strlen(path));
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
  const uint8_t *id = NULL;
  struct file_key key;
  size_t id_length = build_id_of(info, &id), file_size;
  if (module_count == DH_MODULES_MAX || is_known(info->dlpi_addr))
    return 0;
  if (id_length == 0) {
    id_length = file_key_of(info, &key);
    id = (const uint8_t *)&key;
  }
  const struct blob_header *header = map_file(id, id_length, &file_size);
  if (header == NULL)
    return 0;
  char *clones = NULL;
  if (dh_group_state_size + (uint64_t)header->state_size <= DH_GROUP_STATE_MAX)
    clones = map_clones(info->dlpi_addr, header);
  if (clones == NULL) {
    int why = errno;
    dh_problem(DH_PROBLEM_BLOB, 0, why, path_of(info));
    munmap((void *)header, file_size);
    return 0;
  }
  uint32_t first_site = next_site;
  struct module *module = &modules[module_count];
  module->image = info->dlpi_addr;
  module->clones = clones;
  add_translations(module, header);
  add_groups(info->dlpi_addr, header);
  module_count++;
  if (header->unwind_at != 0)
    new_frames[new_frames_count++] = clones + header->unwind_at;
  uint32_t patched = patch(info, clones, header);
  say_module(info, header, clones, first_site, patched, id, id_length);
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
