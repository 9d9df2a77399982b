/*
 * Who has touched what. Each 8 bytes of the program's memory (a granule) have two cells: the last read and
 * the last write, as long as one thread has it to itself.
 *
 *   0           nobody has touched it
 *   DH_SHARED   a second thread has: all accesses are logged from then on
 *   otherwise   thread:10 | logged:1 | offset:3 | site:21 | epoch:29
 *
 * Cells lie in chunks of 2 MB, one for each MB of the program's memory, found through a table.
 */
#ifndef DH_SHADOW_H
#define DH_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include "deadheat.h"

#define DH_SHARED UINT64_MAX
#define DH_CELL_THREADS 1023u /* further threads have no cells: all that they touch is shared */
#define DH_CELL_SITES DH_NO_SITE /* this one and further ones: not known */
#define DH_CELL_EPOCHS 0x1fffffffu

struct dh_cells {
  uint64_t last[2]; /* DH_CELL_READ, DH_CELL_WRITE */
};
enum { DH_CELL_READ = 0, DH_CELL_WRITE = 1 };

static inline uint64_t dh_cell(uint32_t thread, int logged, unsigned offset, uint32_t site,
                               uint32_t epoch) {
  return (uint64_t)thread << 54 | (uint64_t)(logged != 0) << 53 | (uint64_t)(offset & 7) << 50 |
         (uint64_t)(site < DH_CELL_SITES ? site : DH_CELL_SITES) << 29 | (epoch & DH_CELL_EPOCHS);
}
static inline uint32_t dh_cell_thread(uint64_t cell) { return cell >> 54; }
static inline int dh_cell_logged(uint64_t cell) { return cell >> 53 & 1; }
static inline unsigned dh_cell_offset(uint64_t cell) { return cell >> 50 & 7; }
static inline uint32_t dh_cell_site(uint64_t cell) { return cell >> 29 & DH_CELL_SITES; }
static inline uint32_t dh_cell_epoch(uint64_t cell) { return cell & DH_CELL_EPOCHS; }

/* 47 bits of addresses, a MB each. */
#define DH_CHUNK_BITS 20
#define DH_CHUNKS (1ul << (47 - DH_CHUNK_BITS))
#define DH_CHUNK_SIZE ((1ul << DH_CHUNK_BITS) / 8 * sizeof(struct dh_cells))

extern struct dh_cells **dh_chunks DH_HIDDEN;

/* Before the first thread is logged; 0 if there is no memory for it. */
int dh_shadow_start(void);
struct dh_cells *dh_shadow_new_chunk(uintptr_t granule);

/* The cells of a granule (an address divided by 8); NULL if there are none to be had. */
static inline struct dh_cells *dh_shadow_at(uintptr_t granule) {
  uintptr_t number = granule >> (DH_CHUNK_BITS - 3);
  if (__builtin_expect(number >= DH_CHUNKS || dh_chunks == NULL, 0))
    return NULL;
  struct dh_cells *chunk = __atomic_load_n(&dh_chunks[number], __ATOMIC_ACQUIRE);
  if (__builtin_expect(chunk == NULL, 0) && (chunk = dh_shadow_new_chunk(granule)) == NULL)
    return NULL;
  return chunk + (granule & ((1ul << (DH_CHUNK_BITS - 3)) - 1));
}

/* Nobody has touched this memory, whatever was at these addresses before. */
void dh_shadow_clear(uintptr_t at, size_t size);
/* Whether the log says anything of this memory, or another thread may still make it. */
int dh_shadow_is_known(uintptr_t at, size_t size);
/* As if nothing had ever been touched. */
void dh_shadow_forget_all(void);

#endif
