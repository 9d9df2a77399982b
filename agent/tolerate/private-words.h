/*
 * What a thread works on inside of a critical section: copies of the words that it touches, 64 bits each.
 *
 *   section:  total += 5            the word of `total` is copied: value 7, original 7
 *                                   and changed: value 12; its bytes are marked as read, and as written
 *   others:   total = 1             in memory; nobody inside sees it
 *   unlock                          memory has 1, not 7 any more: a race; dh_words_publish resolves it
 *
 * Masks have a byte of 0xff for each byte of the word, so that bytes are what counts: two variables that share
 * a word do not get into each other's way, and bytes that nobody wrote are never written back.
 *
 * A word's place in the arrays follows from its address, and neighbours are neighbours there, too, so that an
 * instruction may work on several words at once, as if they were memory. Places are given away by lines of eight
 * words. Should another line be there already, some places further on are tried, which takes a little longer each
 * time; and if all those are taken, all words are published before their time and given up, which is as good as if the
 * section had not been isolated from there on: a section that goes through megabytes costs no more a word than others.
 *
 * Variables are published in the order in which they were first written: `made.size = 3; ready = 1` must not be
 * seen the other way round by those who may look at `ready` without a lock, since it is atomic. On this processor
 * such a store is like any other.
 */
#ifndef DH_PRIVATE_WORDS_H
#define DH_PRIVATE_WORDS_H

#include <stdint.h>

#include "layout.h"

struct dh_words_array {
  uint64_t at[DH_WORDS];
  char padding[DH_WORDS_ARRAY - DH_WORDS * 8];
};

_Static_assert(DH_WORDS_SPREAD % 8 == 0 && DH_WORDS_ARRAY % 64 == 0, "alignment of vectors");

/*
 * Words that somebody wants to know the writers of, from outside: for these it is noted since when there is a copy.
 * Whoever else writes to one from then on has no business there. deadheat writes here while the program runs.
 */
#define DH_WATCHED 4
struct dh_watched {
  uint32_t count; /* 0: none at all */
  uint32_t padding;
  uint64_t words[DH_WATCHED];
};
extern const struct dh_watched dh_nothing_watched;

struct dh_words {
  struct dh_words_array address; /* of the word in this place; 0: none; 1: none any more */
  struct dh_words_array value;
  struct dh_words_array valid;   /* bytes that have been copied, or written */
  struct dh_words_array written;
  /* The rest is not needed to find a copy again. */
  struct dh_words_array original; /* of bytes that are valid: what was there when they were first touched */
  struct dh_words_array read;     /* bytes that were read before they were written, if ever they were */
  struct dh_words_array joined;   /* bytes that were touched together with the one after them */
  uint64_t owner[DH_WORDS / 8];   /* whose eight places these are: the address of a line, or 0 */
  uint32_t touched[DH_WORDS];     /* places that are not 0, and how many locks were held when they were first used */
  uint32_t count;                 /* of those */
  uint32_t writes;                /* of those below */
  uint32_t has_moved;             /* some line is not where it belongs, or has no words */
  uint32_t order[DH_WORDS * 8];   /* places, and which of their bytes were written that had not been before */
  struct {
    uint64_t address, since;
  } timed[DH_WATCHED]; /* of words that were watched when they were copied */
  uint32_t asleep[DH_WORDS]; /* as `touched`: copies that are not compared with memory until they are used again */
  uint32_t sleepers;         /* of those */
  /*
   * Where others have changed a word and theirs was kept, but the copy stays: what memory has differs from `original`
   * in these bits, and that was told. 0 of all others, and where there is no word.
   *
   *   reads x: 5      others: x = 9     an inner lock: told, IVa; memory keeps 9, the copy 5, and 5 ^ 9 is here
   *   x = x + 1       a copy of 6; at the unlock memory still has 9, on which 6 does not build: that is IVc
   */
  struct dh_words_array apart;
  uint32_t are_apart; /* some are not 0 */
};

#define DH_AT(type, field, offset)                                                                 \
  _Static_assert(__builtin_offsetof(struct type, field) == (offset), #field)
DH_AT(dh_words, value, DH_WORDS_VALUE);
DH_AT(dh_words, valid, DH_WORDS_VALID);
DH_AT(dh_words, written, DH_WORDS_WRITTEN);
DH_AT(dh_words, original, DH_WORDS_ORIGINAL);
DH_AT(dh_words, read, DH_WORDS_READ);
DH_AT(dh_words, joined, DH_WORDS_JOINED);
DH_AT(dh_words, owner, DH_WORDS_OWNER);
DH_AT(dh_words, touched, DH_WORDS_TOUCHED);
DH_AT(dh_words, count, DH_WORDS_COUNT);
DH_AT(dh_words, writes, DH_WORDS_WRITES);
DH_AT(dh_words, order, DH_WORDS_ORDER);

/* Where a word belongs. */
static inline uint32_t dh_words_place(uint64_t address) {
  uint64_t word = address >> 3;
  return (uint32_t)(word + (word >> DH_WORDS_BITS) * DH_WORDS_SPREAD) & (DH_WORDS - 1);
}

enum dh_access { DH_ACCESS_READ = 0, DH_ACCESS_WRITE = 1, DH_ACCESS_UPDATE = 2 };

/* A variable (bytes of a word, by their mask) that has changed meanwhile. */
struct dh_words_race {
  uint64_t address, mask, original, ours, theirs;
  uint64_t since; /* the time of the copy; 0: not watched */
  uint32_t race, kept, tolerated;
};

/* What publishing has to know of the section, and tells of it. */
struct dh_words_mode {
  int blind;   /* others never read before they write */
  int detects; /* only tell: memory becomes what it would have become */
  void (*tell)(const struct dh_words_race *race);
  const struct dh_watched *watched;
  void (*tell_outside)(void); /* once for each thread with a section that could not be isolated; NULL: nobody asks */
};

DH_AT(dh_words_mode, watched, DH_MODE_WATCHED);

/* In the place of an address: nothing is there. */
enum { DH_PLACE_FREE = 0 };
/* Beside an address: its copy is asleep. No instruction finds it by itself then, since nothing has such an address. */
#define DH_ASLEEP (1ull << 63)

static inline uint64_t dh_words_line(uint64_t address) { return address & ~63ull; }

/* `size` bytes within one word. */
static inline uint64_t dh_words_mask(uint64_t address, uint32_t size) {
  return UINT64_MAX >> (64 - 8 * size) << (8 * (address & 7));
}

static inline uint32_t dh_listed_place(uint32_t entry) { return entry & (DH_WORDS - 1); }

static inline uint64_t dh_words_load(uint64_t address) {
  return __atomic_load_n((const uint64_t *)address, __ATOMIC_RELAXED);
}

/* Only the bytes of the mask, in as few stores as they allow: a variable in its place is never seen half. */
void dh_words_store(uint64_t address, uint64_t value, uint64_t mask);

void dh_words_note_time(struct dh_words *words, const struct dh_words_mode *mode, uint64_t address);

/* A copy is as memory is now, and from now on. */
static inline void dh_words_date(struct dh_words *words, const struct dh_words_mode *mode,
                                 uint64_t address) {
  if (__builtin_expect(__atomic_load_n(&mode->watched->count, __ATOMIC_RELAXED) != 0, 0))
    dh_words_note_time(words, mode, address);
}

/*
 * Where an instruction may find `size` bytes at this address, copied as far as need be. The address itself, if
 * they have no place together: then what there was of them is in memory again.
 */
uint64_t dh_words_find(struct dh_words *words, const struct dh_words_mode *mode, uint64_t address,
                       uint32_t size, enum dh_access access, uint32_t level);
/* What a word is to the section: of bytes that have no copy, what memory has. Nothing is noted. */
uint64_t dh_words_peek(const struct dh_words *words, uint64_t address);
/* Writes all to memory that was written, and resolves what others have changed. Copies stay, as they are then. */
void dh_words_publish(struct dh_words *words, const struct dh_words_mode *mode);
/* The same, and all copies are given up. */
void dh_words_finish(struct dh_words *words, const struct dh_words_mode *mode);
/*
 * After publishing, when a lock is let go of: the copies of words that were first touched at this level, or a higher
 * one, are given up. The others fall asleep. Whoever has been handed them by now may do with their memory as he likes,
 * and even give it back; only if the section uses such a copy again is it sure that this was not so:
 *
 *   parcel->content = 5     level 1
 *   queue = parcel          level 2, given up at its unlock; `content` falls asleep: others may free the parcel now
 *   total == 30             level 1 as well: its copy wakes up, and is compared with memory at the end
 */
void dh_words_forget(struct dh_words *words, uint32_t level);

#endif
