/*
 * Private words against a model of bytes. With a number: random accesses of a section that is alone, which has to
 * come to what it would have come to without copies. With "two": what becomes of several variables. Without: all
 * that may become of a variable that others have changed or not, a line each, for the oracle to judge.
 */
#include "../../agent/tolerate/private-words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 96 * 1024, STEPS = 60 };
static unsigned char memory[BYTES] __attribute__((aligned(32768)));
/* What memory would be without copies. */
static unsigned char model[BYTES];
static struct dh_words words;
static struct dh_words_mode mode;
static uint32_t told, told_race, told_tolerated, all_tolerated;

static void tell(const struct dh_words_race *race) {
  told++;
  told_race = race->race;
  told_tolerated = race->tolerated;
  all_tolerated += race->tolerated;
}

static uint64_t state = 1;
static uint32_t random_below(uint32_t limit) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 33) % limit;
}

/* Few words, so that they are touched again; at the edges of regions, and where others belong, too. */
static uint32_t some_place(void) {
  static const uint32_t around[] = {0, 40, 32760, 25000, 45800, 66600, 90000};
  return around[random_below(7)] + random_below(24);
}

static void access_some(void) {
  static const uint32_t sizes[] = {1, 2, 4, 8, 10, 16, 32};
  uint32_t place = some_place(), size = sizes[random_below(7)];
  enum dh_access access = (enum dh_access)random_below(3);
  unsigned char *found = (unsigned char *)dh_words_find(&words, &mode, (uint64_t)&memory[place],
                                                        size, access, 1);
  for (uint32_t i = 0; i < size; i++) {
    if (access != DH_ACCESS_WRITE && found[i] != model[place + i]) {
      printf("byte %u: %d, not %d\n", place + i, found[i], model[place + i]);
      exit(1);
    }
    if (access != DH_ACCESS_READ)
      found[i] = model[place + i] = (unsigned char)random_below(256);
  }
}

static uint64_t value_at(const void *place, uint32_t size) {
  uint64_t value = 0;
  memcpy(&value, place, size);
  return value;
}

static void access_one(uint32_t offset, uint32_t size, enum dh_access access, uint64_t value) {
  void *found = (void *)dh_words_find(&words, &mode, (uint64_t)&memory[offset], size, access, 1);
  if (access != DH_ACCESS_READ)
    memcpy(found, &value, size);
}

/* Three words that belong in the same place: none of them is in memory before its time. */
static void together(void) {
  static const uint32_t rivals[] = {25000, 45800, 66600};
  for (int i = 0; i < 3; i++) {
    if (dh_words_place((uint64_t)&memory[rivals[i]]) != dh_words_place((uint64_t)&memory[25000]))
      puts("they do not");
    access_one(rivals[i], 8, DH_ACCESS_WRITE, 0x0202020202020202);
  }
  for (int i = 0; i < 3; i++)
    if (value_at(&memory[rivals[i]], 8) != 0)
      puts("published before its time");
  dh_words_publish(&words, &mode);
  dh_words_forget(&words, 0);
  for (int i = 0; i < 3; i++)
    memset(&memory[rivals[i]], 0, 8);
}

static void alone(void) {
  for (int i = 0; i < 3000; i++) {
    for (int n = 0; n < STEPS; n++)
      access_some();
    dh_words_publish(&words, &mode);
    dh_words_forget(&words, 0);
    if (words.count != 0 || told != 0 || memcmp(memory, model, BYTES) != 0) {
      printf("section %d left something else\n", i);
      exit(1);
    }
  }
  puts("as memory itself");
}

/* readsFirst writes isChanged blind  what memory has, how often it was told, class, tolerated */
static void resolve_one(uint32_t offset, uint32_t size, int reads, int writes, int changes) {
  const uint64_t original = 0x0101010101010101, own = 0x0202020202020202, current = 0x0103030303030301;
  told = told_race = told_tolerated = 0;
  memset(memory, 1, 16);
  if (reads)
    access_one(offset, size, DH_ACCESS_READ, 0);
  if (writes)
    access_one(offset, size, reads ? DH_ACCESS_UPDATE : DH_ACCESS_WRITE, own);
  uint64_t theirs = size == 1 ? 3 : current;
  memcpy(&memory[offset], changes ? &theirs : &original, size);
  dh_words_publish(&words, &mode);
  dh_words_forget(&words, 0);
  uint64_t now = value_at(&memory[offset], size);
  const char *left = now == value_at(&own, size)                          ? "own"
                     : now == value_at(changes ? &theirs : &original, size) ? "current"
                                                                           : "torn";
  printf("%d %d %d %d %s %u %u %u\n", reads, writes, changes, mode.blind, left, told, told_race,
         told_tolerated);
}

/* The first reads and the second sets first: others seem to have come after the section, and before it. */
static void resolve_two(void) {
  enum { READ_AT = 0, SET_AT = 64, UPDATED_AT = 128 };
  told = all_tolerated = 0;
  memset(memory, 1, 192);
  access_one(READ_AT, 8, DH_ACCESS_READ, 0);
  access_one(SET_AT, 8, DH_ACCESS_WRITE, 2);
  access_one(UPDATED_AT, 8, DH_ACCESS_UPDATE, 2);
  for (int at = READ_AT; at <= UPDATED_AT; at += 64)
    memory[at] = 3;
  dh_words_finish(&words, &mode);
  printf("blind %d: %u races, %u tolerated, left %d %d %d\n", mode.blind, told, all_tolerated, memory[READ_AT],
         memory[SET_AT], memory[UPDATED_AT]);
}

int main(int count, char **arguments) {
  mode.tell = tell;
  mode.watched = &dh_nothing_watched;
  if (count > 1 && strcmp(arguments[1], "two") == 0) {
    resolve_two();
    mode.blind = 1;
    resolve_two();
    return 0;
  }
  if (count > 1) {
    state = strtoull(arguments[1], NULL, 10);
    together();
    alone();
    return 0;
  }
  for (int way = 0; way < 16; way++)
    for (uint32_t size = 1; size <= 8; size *= 2)
      for (uint32_t offset = 0; offset < 8 && (way & 3) != 0; offset += size) {
        mode.blind = way >> 3;
        resolve_one(offset, size, way & 1, way >> 1 & 1, way >> 2 & 1);
      }
  return 0;
}
