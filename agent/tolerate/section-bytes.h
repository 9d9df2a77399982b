/*
 * Bytes of memory as the section sees them that the thread is in, a word at a time. Each byte counts as read or
 * written exactly if it was asked for: of the word in which a string ends, what stands behind its end does not.
 *
 *   "abc\0" and then somebody's counter      dh_bytes_ahead(…) shows where the end is, without a trace
 *                                            dh_bytes_read(…, 4) reads as far as that
 */
#ifndef DH_SECTION_BYTES_H
#define DH_SECTION_BYTES_H

#include "private-words.h"
#include "sections.h"

/* The calling function's frame: below it, nothing of this thread's stack is alive. */
#define DH_STACK ((uint64_t)__builtin_frame_address(0))

static inline uint64_t dh_low_bytes(uint32_t size) { return dh_words_mask(0, size); }

/* So many are left in the word of this address, at most. */
static inline uint32_t dh_bytes_in_word(uint64_t address, uint64_t most) {
  uint32_t left = 8 - (uint32_t)(address & 7);
  return most < left ? (uint32_t)most : left;
}

/* `size` bytes of one word; the lowest is the first. */
static inline uint64_t dh_bytes_read(uint64_t address, uint32_t size, uint64_t stack) {
  uint64_t at = dh_section_find(address, size | DH_ACCESS_READ << 8, stack);
  return dh_words_load(at & ~7ull) >> 8 * (at & 7) & dh_low_bytes(size);
}

static inline void dh_bytes_write(uint64_t address, uint32_t size, uint64_t value, uint64_t stack) {
  uint64_t at = dh_section_find(address, size | DH_ACCESS_WRITE << 8, stack);
  dh_words_store(at & ~7ull, value << 8 * (at & 7), dh_words_mask(at, size));
}

/* Up to 8 bytes, of two words perhaps. */
static inline uint64_t dh_bytes_read_across(uint64_t address, uint32_t size, uint64_t stack) {
  uint32_t first = dh_bytes_in_word(address, size);
  uint64_t value = dh_bytes_read(address, first, stack);
  if (first < size)
    value |= dh_bytes_read(address + first, size - first, stack) << 8 * first;
  return value;
}

/* What reading the rest of this word would come to, as far as is known before it is done. */
static inline uint64_t dh_bytes_ahead(uint64_t address) {
  return dh_words_peek(dh_sections.words, address & ~7ull) >> 8 * (address & 7);
}

/* Whether all of it is this thread's own, of which there are no copies. */
static inline int dh_is_own(uint64_t address, uint64_t size, uint64_t stack) {
  const struct dh_section_thread *self = &dh_sections;
  uint64_t on_stack = self->stack_high - stack, in_block = self->own_high - self->own_low;
  return (address - stack < on_stack && size <= self->stack_high - address) ||
         (address - self->own_low < in_block && size <= self->own_high - address);
}

#endif
