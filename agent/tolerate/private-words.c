#include "private-words.h"

#include "../syscalls.h"

#define DEADHEAT_RESOLUTION_ONLY
#include "../../include/deadheat/tolerate.h"

/* ---- watched words ---- */

const struct dh_watched dh_nothing_watched;

void dh_words_note_time(struct dh_words *words, const struct dh_words_mode *mode, uint64_t address) {
  for (uint32_t i = 0; i < DH_WATCHED; i++)
    if (__atomic_load_n(&mode->watched->words[i], __ATOMIC_RELAXED) == address) {
      words->timed[i].address = address;
      words->timed[i].since = dh_time();
    }
}

static uint64_t time_of_copy(const struct dh_words *words, uint64_t address) {
  uint64_t since = 0;
  for (uint32_t i = 0; i < DH_WATCHED; i++)
    if (words->timed[i].address == address && words->timed[i].since > since)
      since = words->timed[i].since;
  return since;
}

/* ---- memory ---- */

static void store_half(uint64_t address, uint32_t value, uint32_t mask) {
  if (mask == UINT32_MAX) {
    __atomic_store_n((uint32_t *)address, value, __ATOMIC_RELAXED);
    return;
  }
  for (int i = 0; i < 2; i++, address += 2, value >>= 16, mask >>= 16) {
    if ((uint16_t)mask == UINT16_MAX) {
      __atomic_store_n((uint16_t *)address, (uint16_t)value, __ATOMIC_RELAXED);
      continue;
    }
    if ((uint8_t)mask != 0)
      __atomic_store_n((uint8_t *)address, (uint8_t)value, __ATOMIC_RELAXED);
    if ((uint8_t)(mask >> 8) != 0)
      __atomic_store_n((uint8_t *)address + 1, (uint8_t)(value >> 8), __ATOMIC_RELAXED);
  }
}

void dh_words_store(uint64_t address, uint64_t value, uint64_t mask) {
  if (mask == UINT64_MAX) {
    __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELAXED);
    return;
  }
  store_half(address, (uint32_t)value, (uint32_t)mask);
  store_half(address + 4, (uint32_t)(value >> 32), (uint32_t)(mask >> 32));
}

/* ---- variables within a word ---- */

/* From a bit for each byte to a mask of them, and back. */
enum { ALL_BYTES = 0xff };
static inline uint64_t mask_of_bytes(uint64_t bytes) {
  uint64_t marked = bytes * 0x0101010101010101 & 0x8040201008040201;
  return ((marked + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101) * 0xff;
}
static inline uint32_t bytes_of_mask(uint64_t mask) {
  return (uint32_t)((mask & 0x0101010101010101) * 0x0102040810204080 >> 56);
}

/* The bytes that were ever touched together with the lowest one of a mask. */
static uint64_t variable_at_lowest(uint64_t mask, uint64_t joined) {
  uint32_t first = (uint32_t)__builtin_ctzll(mask) & ~7u, last = first;
  while (first > 0 && (joined >> (first - 8) & 0xff) != 0)
    first -= 8;
  while (last < 56 && (joined >> last & 0xff) != 0)
    last += 8;
  uint64_t upto = last == 56 ? UINT64_MAX : (1ull << (last + 8)) - 1;
  return upto & ~((1ull << first) - 1);
}

/* The bytes of all variables of which some are in the mask. */
static uint64_t variables_of(uint64_t mask, uint64_t joined) {
  uint64_t found = 0;
  for (uint64_t rest = mask; rest != 0; rest = mask & ~found)
    found |= variable_at_lowest(rest, joined);
  return found;
}

static enum deadheat_shape shape_of(uint64_t read, uint64_t written) {
  return written == 0 ? DEADHEAT_READ : read == 0 ? DEADHEAT_SET : DEADHEAT_UPDATE;
}

/* ---- resolving ---- */

/* What races of a section come to, all together. */
struct orders {
  int ours_first, theirs_first;
};

static inline uint64_t apart_at(const struct dh_words *words, uint32_t place) {
  return __builtin_expect(words->are_apart, 0) ? words->apart.at[place] : 0;
}

/* What has to be resolved: bytes that others have changed, or that were set by the section where theirs was kept. */
static inline uint64_t to_resolve(const struct dh_words *words, uint32_t place, uint64_t now) {
  uint64_t apart = apart_at(words, place);
  uint64_t changed = (now ^ words->original.at[place] ^ apart) & words->valid.at[place];
  if (__builtin_expect(apart != 0, 0))
    changed |= variables_of(apart, words->joined.at[place]) & words->written.at[place];
  return changed;
}

/* For each variable of a word that has changed. Returns which bytes are to be stored. */
static uint64_t resolve_word(struct dh_words *words, const struct dh_words_mode *mode,
                             uint32_t place, uint64_t theirs, struct orders *orders, int tells) {
  uint64_t original = words->original.at[place], valid = words->valid.at[place];
  uint64_t ours = words->value.at[place], written = words->written.at[place];
  uint64_t rest = to_resolve(words, place, theirs), stored = written;
  /* Some of what others did would come before the section, and some after it: they did it in one order. */
  int is_torn = orders->ours_first && orders->theirs_first;
  while (rest != 0) {
    uint64_t variable = variable_at_lowest(rest, words->joined.at[place]) & valid;
    enum deadheat_shape shape = shape_of(words->read.at[place] & variable, written & variable);
    struct deadheat_resolution found = deadheat_resolve(shape, mode->blind);
    if (mode->detects || (tells && is_torn)) {
      found.kept = shape == DEADHEAT_READ ? DEADHEAT_KEEPS_THEIRS : DEADHEAT_KEEPS_OURS;
      found.tolerated = 0;
    }
    if (found.kept == DEADHEAT_KEEPS_THEIRS)
      stored &= ~variable;
    if (!tells) {
      if (found.tolerated)
        *(found.kept == DEADHEAT_KEEPS_THEIRS ? &orders->ours_first : &orders->theirs_first) = 1;
    } else {
      uint64_t address = words->address.at[place];
      mode->tell(&(struct dh_words_race){
          .address = address, .mask = variable, .original = original, .ours = ours, .theirs = theirs,
          .since = time_of_copy(words, address), .race = found.race, .kept = found.kept,
          .tolerated = found.tolerated});
    }
    rest &= ~variable;
  }
  return stored;
}

/* Nothing but 0 if nobody else was there. */
static uint64_t changes(const struct dh_words *words) {
  uint64_t changed = words->are_apart;
  for (uint32_t i = 0; i < words->count; i++) {
    uint32_t place = dh_listed_place(words->touched[i]);
    changed |= (dh_words_load(words->address.at[place]) ^ words->original.at[place]) & words->valid.at[place];
  }
  return changed;
}

/* Those that were touched have none any more. */
static void clear_owners(struct dh_words *words) {
  for (uint32_t i = 0; words->has_moved && i < DH_WORDS / 8; i++)
    words->owner[i] = 0;
  words->has_moved = 0;
}

/* Variables are stored as a whole, with the first of their bytes. */
static inline void store_first(struct dh_words *words, uint32_t entry) {
  uint32_t place = dh_listed_place(entry);
  uint64_t written = words->written.at[place], mask = written;
  if (entry >> DH_PLACE_BITS != ALL_BYTES) {
    mask &= mask_of_bytes(entry >> DH_PLACE_BITS);
    if (mask != written)
      mask = variables_of(mask, words->joined.at[place]) & written;
  }
  words->written.at[place] = written & ~mask;
  if (mask != 0)
    dh_words_store(words->address.at[place], words->value.at[place], mask);
}

static void store_all(struct dh_words *words) {
  for (uint32_t i = 0; i < words->writes; i++)
    store_first(words, words->order[i]);
  words->writes = 0;
}

/* Should the copy stay, it is compared with what memory has then. */
static void settle_place(struct dh_words *words, const struct dh_words_mode *mode, uint32_t place,
                         struct orders *orders) {
  uint64_t now = dh_words_load(words->address.at[place]), stored = words->written.at[place];
  if (to_resolve(words, place, now) != 0)
    stored = resolve_word(words, mode, place, now, orders, 1);
  uint64_t apart = (now ^ words->original.at[place]) & words->valid.at[place] & ~stored;
  if ((apart | apart_at(words, place)) != 0) {
    words->apart.at[place] = apart;
    words->are_apart = 1;
  }
  words->original.at[place] ^= (words->original.at[place] ^ words->value.at[place]) & stored;
  words->read.at[place] = words->valid.at[place];
  words->written.at[place] = stored;
}

void dh_words_publish(struct dh_words *words, const struct dh_words_mode *mode) {
  struct orders orders = {0, 0};
  uint64_t changed = changes(words);
  for (uint32_t i = 0; changed != 0 && i < words->count; i++) {
    uint32_t place = dh_listed_place(words->touched[i]);
    resolve_word(words, mode, place, dh_words_load(words->address.at[place]), &orders, 0);
  }
  for (uint32_t i = 0; i < words->count; i++) {
    uint32_t place = dh_listed_place(words->touched[i]);
    settle_place(words, mode, place, &orders);
  }
  store_all(words);
  for (uint32_t i = 0; i < words->count; i++)
    dh_words_date(words, mode, words->address.at[dh_listed_place(words->touched[i])]);
}

static void free_places(struct dh_words *words, const uint32_t *entries, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t place = dh_listed_place(entries[i]);
    words->address.at[place] = DH_PLACE_FREE;
    words->owner[place / 8] = 0;
    if (__builtin_expect(words->are_apart, 0))
      words->apart.at[place] = 0;
  }
}

static void free_all(struct dh_words *words) {
  free_places(words, words->touched, words->count);
  free_places(words, words->asleep, words->sleepers);
  words->count = words->sleepers = words->are_apart = 0;
  clear_owners(words);
}

void dh_words_finish(struct dh_words *words, const struct dh_words_mode *mode) {
  if (__builtin_expect(changes(words) != 0, 0))
    dh_words_publish(words, mode);
  else
    store_all(words);
  free_all(words);
}

/* ---- falling asleep, and waking up ---- */

/* What is not written needs no mask: there it says where among the sleepers it is. */
static void fall_asleep(struct dh_words *words, uint32_t entry) {
  uint32_t place = dh_listed_place(entry);
  words->address.at[place] |= DH_ASLEEP;
  words->written.at[place] = words->sleepers;
  words->owner[place / 8] = dh_words_line(words->address.at[place] & ~DH_ASLEEP);
  words->asleep[words->sleepers++] = entry;
}

static void wake_up(struct dh_words *words, uint32_t place) {
  uint32_t at = (uint32_t)words->written.at[place], last = words->asleep[--words->sleepers];
  words->touched[words->count++] = words->asleep[at];
  words->asleep[at] = last;
  words->written.at[dh_listed_place(last)] = at;
  words->written.at[place] = 0;
  words->address.at[place] &= ~DH_ASLEEP;
}

void dh_words_forget(struct dh_words *words, uint32_t level) {
  /* A line that has moved is found by going on from where it belongs: nothing before it may become free. */
  if (words->has_moved || level == 0) {
    free_all(words);
    return;
  }
  while (words->sleepers > 0)
    wake_up(words, dh_listed_place(words->asleep[words->sleepers - 1]));
  uint32_t kept = 0;
  for (uint32_t i = 0; i < words->count; i++) {
    uint32_t entry = words->touched[i];
    if (entry >> DH_PLACE_BITS < level)
      words->touched[kept++] = entry;
    else
      free_places(words, &entry, 1);
  }
  words->count = 0;
  /* Lines may have lost their owners to neighbours of theirs that were given up. */
  for (uint32_t i = 0; i < kept; i++)
    fall_asleep(words, words->touched[i]);
}

/* ---- finding ---- */

/* So many lines are looked at, each so many further on. */
enum { TRIES = 8, STEP = 37, LINES = DH_WORDS / 8 };

uint64_t dh_words_peek(const struct dh_words *words, uint64_t address) {
  uint64_t now = dh_words_load(address);
  uint32_t home = dh_words_place(address);
  for (uint32_t i = 0; i < TRIES; i++) {
    uint32_t place = (home / 8 + i * STEP) % LINES * 8 + home % 8;
    uint64_t valid = words->valid.at[place];
    if ((words->address.at[place] & ~DH_ASLEEP) == address)
      return (words->value.at[place] & valid) | (now & ~valid);
  }
  return now;
}

/* Where the word is, or may be: its line has these places from now on. */
static uint32_t place_for(struct dh_words *words, const struct dh_words_mode *mode,
                          uint64_t address) {
  uint32_t home = dh_words_place(address), first = home / 8;
  uint64_t line = dh_words_line(address);
  for (uint32_t i = 0; i < TRIES; i++) {
    uint32_t at = (first + i * STEP) % LINES;
    if (words->owner[at] != 0 && words->owner[at] != line)
      continue;
    words->owner[at] = line;
    words->has_moved |= i;
    return at * 8 + home % 8;
  }
  /* All of them, since what was written first is published first; and then there is room for as many more. */
  dh_words_finish(words, mode);
  words->owner[first] = line;
  return home;
}

static void note_write(struct dh_words *words, uint32_t place, uint64_t mask) {
  if ((mask & ~words->written.at[place]) != 0)
    words->order[words->writes++] = place | bytes_of_mask(mask) << DH_PLACE_BITS;
  words->written.at[place] |= mask;
}

/* For bytes of a word that is in no place yet. */
static void take_place(struct dh_words *words, const struct dh_words_mode *mode, uint32_t place,
                       uint64_t address, uint64_t mask, enum dh_access access, uint32_t level) {
  words->touched[words->count++] = place | level << DH_PLACE_BITS;
  words->value.at[place] = words->original.at[place] = dh_words_load(address);
  words->valid.at[place] = mask;
  words->written.at[place] = 0;
  if (access != DH_ACCESS_READ)
    note_write(words, place, mask);
  words->read.at[place] = access == DH_ACCESS_WRITE ? 0 : mask;
  words->joined.at[place] = mask & mask >> 8;
  words->address.at[place] = address;
  dh_words_date(words, mode, address);
}

static void touch_place(struct dh_words *words, const struct dh_words_mode *mode, uint32_t place,
                        uint64_t mask, enum dh_access access) {
  uint64_t fresh = mask & ~words->valid.at[place];
  if (fresh != 0) {
    uint64_t now = dh_words_load(words->address.at[place]);
    words->value.at[place] = (words->value.at[place] & ~fresh) | (now & fresh);
    words->original.at[place] = (words->original.at[place] & ~fresh) | (now & fresh);
    words->valid.at[place] |= fresh;
    if (access != DH_ACCESS_WRITE)
      words->read.at[place] |= fresh;
    dh_words_date(words, mode, words->address.at[place]);
  }
  if (access != DH_ACCESS_READ)
    note_write(words, place, mask);
  words->joined.at[place] |= mask & mask >> 8;
}

static inline uint64_t find_word(struct dh_words *words, const struct dh_words_mode *mode,
                                 uint32_t place, uint64_t address, uint64_t mask,
                                 enum dh_access access, uint32_t level) {
  if (__builtin_expect(words->address.at[place] == (address | DH_ASLEEP), 0))
    wake_up(words, place);
  if (words->address.at[place] == address)
    touch_place(words, mode, place, mask, access);
  else
    take_place(words, mode, place, address, mask, access, level);
  return (uint64_t)&words->value.at[place];
}

/* Across words: those that have no places one after the other are used where they are. */
static uint64_t find_words(struct dh_words *words, const struct dh_words_mode *mode,
                           uint64_t address, uint32_t size, enum dh_access access,
                           uint32_t level) {
  uint64_t first = address & ~7ull, last = (address + size - 1) & ~7ull;
  uint32_t place = place_for(words, mode, first);
  int fits = place_for(words, mode, last) == place + (last - first) / 8 &&
             words->owner[place / 8] == dh_words_line(first);
  for (uint64_t word = first; word <= last; word += 8) {
    uint64_t mask = UINT64_MAX;
    if (word == first)
      mask <<= 8 * (address & 7);
    if (word == last)
      mask &= UINT64_MAX >> (8 * (7 - ((address + size - 1) & 7)));
    uint32_t here = fits ? place + (uint32_t)((word - first) / 8) : place_for(words, mode, word);
    if (fits)
      find_word(words, mode, here, word, mask, access, level);
    else if ((words->address.at[here] & ~DH_ASLEEP) == word)
      dh_words_finish(words, mode);
    words->has_moved |= !fits;
  }
  return fits ? (uint64_t)&words->value.at[place] + (address & 7) : address;
}

uint64_t dh_words_find(struct dh_words *words, const struct dh_words_mode *mode, uint64_t address,
                       uint32_t size, enum dh_access access, uint32_t level) {
  uint64_t offset = address & 7;
  if (__builtin_expect(offset + size > 8, 0))
    return find_words(words, mode, address, size, access, level);
  uint64_t mask = dh_words_mask(address, size), word = address - offset;
  return find_word(words, mode, place_for(words, mode, word), word, mask, access, level) + offset;
}
