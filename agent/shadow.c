#include "shadow.h"

#include "syscalls.h"

struct dh_cells **dh_chunks;

/* Which parts of the table are in use: one for each GB, so that all chunks can be found again. */
#define GROUP_BITS 10
static unsigned char groups_in_use[DH_CHUNKS >> GROUP_BITS];

int dh_shadow_start(void) {
  if (dh_chunks == NULL)
    dh_chunks = dh_map_far(DH_CHUNKS * sizeof *dh_chunks);
  return dh_chunks != NULL;
}

struct dh_cells *dh_shadow_new_chunk(uintptr_t granule) {
  uintptr_t number = granule >> (DH_CHUNK_BITS - 3);
  struct dh_cells *chunk = dh_map_far(DH_CHUNK_SIZE);
  if (chunk == NULL)
    return NULL;
  groups_in_use[number >> GROUP_BITS] = 1;
  struct dh_cells *already = NULL;
  if (__atomic_compare_exchange_n(&dh_chunks[number], &already, chunk, 0, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return chunk;
  dh_unmap(chunk, DH_CHUNK_SIZE);
  return already;
}

/* The cells of [at, at + size) that lie in one chunk, NULL if it has none; where the rest starts. */
static struct dh_cells *piece(uintptr_t at, uintptr_t end, uintptr_t *next, size_t *cells) {
  uintptr_t chunk_end = (at | ((1ul << DH_CHUNK_BITS) - 1)) + 1;
  uintptr_t until = end < chunk_end ? end : chunk_end;
  *next = until;
  *cells = ((until + 7) >> 3) - (at >> 3);
  uintptr_t number = at >> DH_CHUNK_BITS;
  if (number >= DH_CHUNKS || dh_chunks == NULL || dh_chunks[number] == NULL)
    return NULL;
  return dh_chunks[number] + ((at >> 3) & ((1ul << (DH_CHUNK_BITS - 3)) - 1));
}

/* More than this is given back to the kernel instead of being written over. */
#define LARGE (64 * 1024)

static void clear(struct dh_cells *cells, size_t count) {
  char *from = (char *)cells, *to = (char *)(cells + count);
  if (to - from >= LARGE) {
    char *first = (char *)(((uintptr_t)from + 4095) & ~4095ul);
    char *last = (char *)((uintptr_t)to & ~4095ul);
    dh_forget(first, last - first);
    clear((struct dh_cells *)from, (first - from) / sizeof *cells);
    clear((struct dh_cells *)last, (to - last) / sizeof *cells);
    return;
  }
  for (volatile uint64_t *word = (uint64_t *)from; word < (uint64_t *)to; word++)
    *word = 0;
}

void dh_shadow_clear(uintptr_t at, size_t size) {
  size_t count;
  for (uintptr_t end = at + size; at < end;) {
    struct dh_cells *cells = piece(at, end, &at, &count);
    if (cells != NULL)
      clear(cells, count);
  }
}

/* Larger blocks are taken for known unseen: they are few. */
#define MOST_LOOKED_AT (1ul << 20)

int dh_shadow_is_known(uintptr_t at, size_t size) {
  if (size > MOST_LOOKED_AT)
    return 1;
  size_t count;
  for (uintptr_t end = at + size; at < end;) {
    struct dh_cells *cells = piece(at, end, &at, &count);
    for (size_t i = 0; cells != NULL && i < count; i++)
      if (dh_cell_logged(cells[i].last[DH_CELL_READ]) ||
          dh_cell_logged(cells[i].last[DH_CELL_WRITE]))
        return 1; /* also what is shared: all of its bits are set */
  }
  return 0;
}

void dh_shadow_forget_all(void) {
  for (uintptr_t group = 0; group < sizeof groups_in_use; group++)
    for (uintptr_t i = 0; groups_in_use[group] && i < 1ul << GROUP_BITS; i++) {
      struct dh_cells *chunk = dh_chunks[group << GROUP_BITS | i];
      if (chunk != NULL)
        dh_forget(chunk, DH_CHUNK_SIZE);
    }
}
