#define _GNU_SOURCE
#include "copied-memory.h"

#include <string.h>

#include "section-bytes.h"

/* ---- whose work it is ---- */

/* One section may fill so many places: the more there are, the more often two lines belong in the same one. */
#define ROOM_WORDS (DH_WORDS / 4)

/* Without copies at the moment, or while they are being changed, there is only memory. */
static int is_isolated(void) { return dh_sections.depth != 0 && !dh_sections.busy; }

/* For so many bytes there are still places, at whatever address. */
static uint64_t room(void) {
  uint32_t count = dh_sections.words->count + dh_sections.words->sleepers;
  return count < ROOM_WORDS - 1 ? (ROOM_WORDS - 1 - count) * 8ull : 0;
}

/* A call of libc, before which all is published; unless nothing that it touches has copies. */
#define BY_LIBC(call)                                                                              \
  do {                                                                                             \
    dh_section_settle();                                                                           \
    return call;                                                                                   \
  } while (0)
#define BY_LIBC_IF_OWN(is_own, call)                                                               \
  do {                                                                                             \
    if (!is_isolated() || (is_own))                                                                \
      return call;                                                                                 \
  } while (0)

/* ---- going through bytes ---- */

/* Memory may be behind or before what it is moved to, and overlap with it. */
static void move_bytes(uint64_t to, uint64_t from, uint64_t size, uint64_t stack) {
  if (to - from >= size) {
    for (uint32_t piece; size > 0; to += piece, from += piece, size -= piece) {
      piece = dh_bytes_in_word(to, size);
      dh_bytes_write(to, piece, dh_bytes_read_across(from, piece, stack), stack);
    }
    return;
  }
  while (size > 0) {
    uint32_t above = (uint32_t)((to + size - 1) & 7) + 1, piece = size < above ? (uint32_t)size : above;
    size -= piece;
    dh_bytes_write(to + size, piece, dh_bytes_read_across(from + size, piece, stack), stack);
  }
}

#define EACH_BYTE 0x0101010101010101ull

static void fill_bytes(uint64_t to, uint8_t byte, uint64_t size, uint64_t stack) {
  for (uint32_t piece; size > 0; to += piece, size -= piece) {
    piece = dh_bytes_in_word(to, size);
    dh_bytes_write(to, piece, byte * EACH_BYTE, stack);
  }
}

/* The place of the lowest byte that is 0 in a word; 8 if none is. */
static uint32_t first_zero(uint64_t value) {
  uint64_t zeros = (value - EACH_BYTE) & ~value & EACH_BYTE << 7;
  return zeros == 0 ? 8 : (uint32_t)__builtin_ctzll(zeros) / 8;
}

static uint32_t least(uint32_t one, uint32_t other) { return one < other ? one : other; }

static uint32_t first_of(uint64_t value, uint8_t one, uint8_t other) {
  return least(first_zero(value ^ one * EACH_BYTE), first_zero(value ^ other * EACH_BYTE));
}

/* How far it is to the first byte that is one of two; `most` if there is none. */
static uint64_t distance(uint64_t address, uint8_t one, uint8_t other, uint64_t most,
                         uint64_t stack) {
  for (uint64_t done = 0; done < most;) {
    uint32_t piece = dh_bytes_in_word(address + done, most - done);
    piece = least(piece, first_of(dh_bytes_ahead(address + done), one, other) + 1);
    uint32_t stop = first_of(dh_bytes_read(address + done, piece, stack), one, other);
    if (stop < piece)
      return done + stop;
    done += piece;
  }
  return most;
}

/* Where two words differ, or the first of them has an end, if that counts. */
static uint32_t first_difference(uint64_t one, uint64_t other, int has_end) {
  uint64_t different = one ^ other;
  uint32_t at = different == 0 ? 8 : (uint32_t)__builtin_ctzll(different) / 8;
  return has_end ? least(at, first_zero(one)) : at;
}

struct compared {
  int difference;
  int is_known; /* not if `most` bytes are the same, without an end */
};

static struct compared compare(uint64_t one, uint64_t other, uint64_t most, int has_end,
                               uint64_t stack) {
  for (uint64_t done = 0; done < most;) {
    uint64_t a = one + done, b = other + done;
    uint32_t piece = least(dh_bytes_in_word(a, most - done), dh_bytes_in_word(b, most - done));
    piece = least(piece, first_difference(dh_bytes_ahead(a), dh_bytes_ahead(b), has_end) + 1);
    uint64_t ours = dh_bytes_read(a, piece, stack), theirs = dh_bytes_read(b, piece, stack);
    uint32_t stop = first_difference(ours, theirs, has_end);
    if (stop < piece)
      return (struct compared){(int)(ours >> 8 * stop & 0xff) - (int)(theirs >> 8 * stop & 0xff), 1};
    done += piece;
  }
  return (struct compared){0, 0};
}

#define AT(pointer) ((uint64_t)(pointer))

/* ---- bytes ---- */

void *dh_copied_memcpy(void *to, const void *from, size_t size) {
  BY_LIBC_IF_OWN(dh_is_own(AT(to), size, DH_STACK) && dh_is_own(AT(from), size, DH_STACK),
                 memmove(to, from, size));
  if (size > room() / 2)
    BY_LIBC(memmove(to, from, size));
  move_bytes(AT(to), AT(from), size, DH_STACK);
  return to;
}

void *dh_copied_mempcpy(void *to, const void *from, size_t size) {
  return (char *)dh_copied_memcpy(to, from, size) + size;
}

void *dh_copied_memset(void *to, int byte, size_t size) {
  BY_LIBC_IF_OWN(dh_is_own(AT(to), size, DH_STACK), memset(to, byte, size));
  if (size > room())
    BY_LIBC(memset(to, byte, size));
  fill_bytes(AT(to), (uint8_t)byte, size, DH_STACK);
  return to;
}

int dh_copied_memcmp(const void *one, const void *other, size_t size) {
  BY_LIBC_IF_OWN(dh_is_own(AT(one), size, DH_STACK) && dh_is_own(AT(other), size, DH_STACK),
                 memcmp(one, other, size));
  uint64_t most = room() / 2;
  struct compared found = compare(AT(one), AT(other), size < most ? size : most, 0, DH_STACK);
  if (!found.is_known && size > most)
    BY_LIBC(memcmp(one, other, size));
  return found.difference;
}

void *dh_copied_memchr(const void *in, int byte, size_t size) {
  BY_LIBC_IF_OWN(dh_is_own(AT(in), 1, DH_STACK), memchr(in, byte, size));
  uint64_t most = size < room() ? size : room();
  uint64_t at = distance(AT(in), (uint8_t)byte, (uint8_t)byte, most, DH_STACK);
  if (at == most && most < size)
    BY_LIBC(memchr(in, byte, size));
  return at == size ? NULL : (char *)in + at;
}

/* ---- strings ---- */

static uint64_t length(const char *text, uint64_t most, uint64_t stack) {
  return distance(AT(text), 0, 0, most, stack);
}

size_t dh_copied_strlen(const char *text) {
  BY_LIBC_IF_OWN(dh_is_own(AT(text), 1, DH_STACK), strlen(text));
  uint64_t most = room(), found = length(text, most, DH_STACK);
  if (found == most)
    BY_LIBC(strlen(text));
  return found;
}

size_t dh_copied_strnlen(const char *text, size_t limit) {
  BY_LIBC_IF_OWN(dh_is_own(AT(text), 1, DH_STACK), strnlen(text, limit));
  uint64_t most = limit < room() ? limit : room(), found = length(text, most, DH_STACK);
  if (found == most && most < limit)
    BY_LIBC(strnlen(text, limit));
  return found;
}

static struct compared compare_texts(const char *one, const char *other, uint64_t most,
                                     uint64_t stack) {
  return compare(AT(one), AT(other), most, 1, stack);
}

int dh_copied_strcmp(const char *one, const char *other) {
  BY_LIBC_IF_OWN(dh_is_own(AT(one), 1, DH_STACK) && dh_is_own(AT(other), 1, DH_STACK),
                 strcmp(one, other));
  struct compared found = compare_texts(one, other, room() / 2, DH_STACK);
  if (!found.is_known)
    BY_LIBC(strcmp(one, other));
  return found.difference;
}

int dh_copied_strncmp(const char *one, const char *other, size_t limit) {
  BY_LIBC_IF_OWN(dh_is_own(AT(one), 1, DH_STACK) && dh_is_own(AT(other), 1, DH_STACK),
                 strncmp(one, other, limit));
  uint64_t most = room() / 2;
  struct compared found = compare_texts(one, other, limit < most ? limit : most, DH_STACK);
  if (!found.is_known && limit > most)
    BY_LIBC(strncmp(one, other, limit));
  return found.difference;
}

char *dh_copied_strchr(const char *text, int byte) {
  BY_LIBC_IF_OWN(dh_is_own(AT(text), 1, DH_STACK), strchr(text, byte));
  uint64_t most = room(), at = distance(AT(text), (uint8_t)byte, 0, most, DH_STACK);
  if (at == most)
    BY_LIBC(strchr(text, byte));
  int is_there = (uint8_t)dh_bytes_read(AT(text) + at, 1, DH_STACK) == (uint8_t)byte;
  return is_there ? (char *)text + at : NULL;
}

char *dh_copied_strrchr(const char *text, int byte) {
  BY_LIBC_IF_OWN(dh_is_own(AT(text), 1, DH_STACK), strrchr(text, byte));
  uint64_t most = room();
  const char *last = NULL;
  for (uint64_t at = 0; at < most; at++) {
    at += distance(AT(text) + at, (uint8_t)byte, 0, most - at, DH_STACK);
    if (at == most)
      break;
    uint8_t found = (uint8_t)dh_bytes_read(AT(text) + at, 1, DH_STACK);
    if (found == (uint8_t)byte)
      last = text + at;
    if (found == 0)
      return (char *)last;
  }
  BY_LIBC(strrchr(text, byte));
}

/* ---- strings that are written ---- */

static int are_own(const char *to, const char *from, uint64_t stack) {
  return dh_is_own(AT(to), 1, stack) && dh_is_own(AT(from), 1, stack);
}

/* How long they are is found out before anything is written: then it can still be left to libc. */
char *dh_copied_stpcpy(char *to, const char *from) {
  BY_LIBC_IF_OWN(are_own(to, from, DH_STACK), stpcpy(to, from));
  uint64_t most = room() / 2, size = length(from, most, DH_STACK);
  if (size == most)
    BY_LIBC(stpcpy(to, from));
  move_bytes(AT(to), AT(from), size, DH_STACK);
  dh_bytes_write(AT(to) + size, 1, 0, DH_STACK);
  return to + size;
}

char *dh_copied_strcpy(char *to, const char *from) {
  dh_copied_stpcpy(to, from);
  return to;
}

char *dh_copied_strncpy(char *to, const char *from, size_t size) {
  BY_LIBC_IF_OWN(dh_is_own(AT(to), size, DH_STACK) && dh_is_own(AT(from), 1, DH_STACK),
                 strncpy(to, from, size));
  if (size > room() / 2)
    BY_LIBC(strncpy(to, from, size));
  uint64_t filled = length(from, size, DH_STACK);
  move_bytes(AT(to), AT(from), filled, DH_STACK);
  fill_bytes(AT(to) + filled, 0, size - filled, DH_STACK);
  return to;
}

char *dh_copied_strncat(char *to, const char *from, size_t limit) {
  BY_LIBC_IF_OWN(are_own(to, from, DH_STACK), strncat(to, from, limit));
  uint64_t most = room() / 4, before = length(to, most, DH_STACK);
  uint64_t longest = limit < most ? limit : most, size = length(from, longest, DH_STACK);
  if (before == most || (size == most && most < limit))
    BY_LIBC(strncat(to, from, limit));
  move_bytes(AT(to) + before, AT(from), size, DH_STACK);
  dh_bytes_write(AT(to) + before + size, 1, 0, DH_STACK);
  return to;
}

char *dh_copied_strcat(char *to, const char *from) { return dh_copied_strncat(to, from, SIZE_MAX); }
