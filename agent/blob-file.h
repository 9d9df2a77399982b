/*
 * What all libraries have in common that put clones into a program: finding the file with an image's clones
 * (src/binary/rewrite/blob.ts), mapping them at their distance from the image, and patching the image.
 */
#ifndef DH_BLOB_FILE_H
#define DH_BLOB_FILE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

enum dh_blob_table {
  DH_BLOB_PATCHES,
  DH_BLOB_THREAD_OFFSETS,
  DH_BLOB_GROUP_NUMBERS,
  DH_BLOB_GROUP_INDEX,
  DH_BLOB_GROUPS,
  DH_BLOB_TRANSLATIONS,
  DH_BLOB_SITES,
  DH_BLOB_RETURNS,
  DH_BLOB_TABLES,
};

struct dh_blob {
  char magic[8];
  uint32_t version;
  uint32_t size;
  int64_t base;
  uint32_t mapped_at, mapped_size, code_size, unwind_at;
  uint32_t state_size, functions;
  struct {
    uint32_t at, count;
  } tables[DH_BLOB_TABLES];
};
_Static_assert(sizeof(struct dh_blob) <= 128, "blob header");

/* What an image is known by: its build-id, or, without one, what tells its file from others. */
struct dh_image_key {
  const uint8_t *id;
  size_t length;
  /* In the place of a build-id, as src/preload/image-file.ts has it: which file, and in which state. */
  struct {
    uint64_t device, inode, size, changed, changed_nanoseconds;
  } file;
};

void dh_image_key(const struct dl_phdr_info *info, struct dh_image_key *key);
/* The file of that name in the folder `blobs` of this one, which ends with a slash; NULL if there is none. */
const struct dh_blob *dh_blob_open(const char *folder, size_t folder_length,
                                   const struct dh_image_key *key);
void dh_blob_close(const struct dh_blob *blob);

static inline const uint32_t *dh_blob_table(const struct dh_blob *blob, enum dh_blob_table which) {
  return (const uint32_t *)((const char *)blob + blob->tables[which].at);
}

/* The clones at their distance from the image, still to be written to; NULL and errno if something else is there. */
char *dh_blob_map(uintptr_t image, const struct dh_blob *blob);
/* To the 32 bits at each of the places in a table. */
void dh_blob_add(char *clones, const struct dh_blob *blob, enum dh_blob_table which, int32_t amount);
/* Ready to run; 0 if that is not allowed, and then they are gone. */
int dh_blob_finish(char *clones, const struct dh_blob *blob);
/* Five bytes at each of the patches become a jump into the clones. Returns how many. */
uint32_t dh_blob_patch(const struct dl_phdr_info *info, const char *clones,
                       const struct dh_blob *blob);
/* Whoever throws or cancels must find the way through clones, too. Not while the loader lists its images. */
void dh_blob_register_frames(char *const *frames, int count);

#endif
