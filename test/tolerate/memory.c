/*
 * memcpy and its kin on copies, against those of libc: random calls of a section, which have to return the same and
 * leave the same behind, in the section's eyes and after it, while nothing is in memory before its time. Bytes that
 * a call has no business with are changed by others meanwhile, and that must go unnoticed.
 */
#define _GNU_SOURCE
#include "../../agent/tolerate/copied-memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../agent/tolerate/section-bytes.h"

static uint32_t told;
static void tell(const struct dh_words_race *race) {
  (void)race;
  told++;
}
struct dh_words_mode dh_mode = {.tell = tell, .watched = &dh_nothing_watched};

static uint64_t state = 1;
static uint32_t random_below(uint32_t limit) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 33) % limit;
}

enum { SIZE = 20000, NEAR = 200 };
/* Memory that others may see, and an array on the stack: what they are, and what the section should see of them. */
struct region {
  unsigned char *real, *model;
  uint32_t size;
};
static unsigned char shared[SIZE], shared_model[SIZE], touched[SIZE];
static struct region regions[2] = {{shared, shared_model, SIZE}};

struct place {
  const struct region *in;
  uint32_t at;
};
static struct place some_place(int is_far) {
  const struct region *in = &regions[random_below(4) == 0];
  return (struct place){in, random_below(is_far ? in->size / 2 : NEAR)};
}
#define REAL(place) ((char *)(place).in->real + (place).at)
#define MODEL(place) ((char *)(place).in->model + (place).at)
/* But for the last byte, which stays 0, so that all strings have an end. */
#define LEFT(place) ((place).in->size - 1 - (place).at)

static void note(struct place place, uint64_t size) {
  if (place.in == &regions[0])
    memset(&touched[place.at], 1, size);
}

static const char *called = "";
static void must(int holds, const char *what) {
  if (holds)
    return;
  printf("%s: %s\n", called, what);
  exit(1);
}

static int sign(int difference) { return (difference > 0) - (difference < 0); }
static long distance_to(const void *found, const void *from) {
  return found == NULL ? -1 : (const char *)found - (const char *)from;
}

static uint32_t some_size(uint32_t most, int is_far) {
  uint32_t size = is_far && random_below(4) == 0 ? random_below(SIZE / 2) : random_below(70);
  return size < most ? size : most;
}
static int some_byte(void) { return (int)random_below(4) == 0 ? 0 : "ab\xff"[random_below(3)]; }

static void bytes_somewhere(int is_far) {
  struct place to = some_place(is_far), from = some_place(is_far);
  uint32_t size = some_size(LEFT(to) < LEFT(from) ? LEFT(to) : LEFT(from), is_far);
  int byte = some_byte();
  switch (random_below(5)) {
  case 0:
    called = "memmove";
    void *moved = random_below(2) ? dh_copied_memcpy(REAL(to), REAL(from), size)
                                  : dh_copied_memmove_chk(REAL(to), REAL(from), size, LEFT(to));
    must(moved == REAL(to), "returns something else");
    memmove(MODEL(to), MODEL(from), size);
    note(to, size), note(from, size);
    return;
  case 1:
    called = "mempcpy";
    if (to.in == from.in && to.at < from.at + size && from.at < to.at + size)
      return;
    must(dh_copied_mempcpy(REAL(to), REAL(from), size) == REAL(to) + size, "returns something else");
    memcpy(MODEL(to), MODEL(from), size);
    note(to, size), note(from, size);
    return;
  case 2:
    called = "memset";
    must(dh_copied_memset(REAL(to), byte, size) == REAL(to), "returns something else");
    memset(MODEL(to), byte, size);
    note(to, size);
    return;
  case 3:
    called = "memcmp";
    must(sign(dh_copied_memcmp(REAL(to), REAL(from), size)) == sign(memcmp(MODEL(to), MODEL(from), size)),
         "differs");
    uint32_t same = 0;
    while (same < size && MODEL(to)[same] == MODEL(from)[same])
      same++;
    same += same < size;
    note(to, same), note(from, same);
    return;
  default:
    called = "memchr";
    void *found = dh_copied_memchr(REAL(to), byte, size), *expected = memchr(MODEL(to), byte, size);
    must(distance_to(found, REAL(to)) == distance_to(expected, MODEL(to)), "is elsewhere");
    note(to, expected == NULL ? size : (uint64_t)distance_to(expected, MODEL(to)) + 1);
  }
}

static void looks_at_text(int is_far) {
  struct place one = some_place(is_far), other = some_place(is_far);
  uint32_t length = (uint32_t)strlen(MODEL(one)), most = some_size(SIZE, is_far);
  int byte = some_byte();
  switch (random_below(6)) {
  case 0:
    called = "strlen";
    must(dh_copied_strlen(REAL(one)) == length, "is another");
    note(one, length + 1);
    return;
  case 1:
    called = "strnlen";
    must(dh_copied_strnlen(REAL(one), most) == strnlen(MODEL(one), most), "is another");
    note(one, length < most ? length + 1 : most);
    return;
  case 2:
    called = "strchr";
    char *found = dh_copied_strchr(REAL(one), byte), *expected = strchr(MODEL(one), byte);
    must(distance_to(found, REAL(one)) == distance_to(expected, MODEL(one)), "is elsewhere");
    note(one, expected == NULL ? length + 1 : (uint64_t)distance_to(expected, MODEL(one)) + 1);
    return;
  case 3:
    called = "strrchr";
    must(distance_to(dh_copied_strrchr(REAL(one), byte), REAL(one)) ==
             distance_to(strrchr(MODEL(one), byte), MODEL(one)),
         "is elsewhere");
    note(one, length + 1);
    return;
  default: {
    int is_bounded = (int)random_below(2);
    called = is_bounded ? "strncmp" : "strcmp";
    uint32_t limit = is_bounded ? most : SIZE, same = 0;
    must(sign(is_bounded ? dh_copied_strncmp(REAL(one), REAL(other), most)
                         : dh_copied_strcmp(REAL(one), REAL(other))) ==
             sign(strncmp(MODEL(one), MODEL(other), limit)),
         "differs");
    while (same < limit && MODEL(one)[same] != 0 && MODEL(one)[same] == MODEL(other)[same])
      same++;
    same += same < limit;
    note(one, same), note(other, same);
  }
  }
}

static void writes_text(int is_far) {
  struct place to = some_place(is_far), from = some_place(is_far);
  uint32_t length = (uint32_t)strlen(MODEL(from)), before = (uint32_t)strlen(MODEL(to));
  uint32_t most = some_size(LEFT(to), is_far), reach = before + length + most + 1;
  int overlaps = to.in == from.in && to.at < from.at + reach && from.at < to.at + reach;
  if (overlaps || reach >= LEFT(to))
    return;
  int is_checked = (int)random_below(2);
  switch (random_below(5)) {
  case 0:
    called = "strcpy";
    must((is_checked ? dh_copied_strcpy_chk(REAL(to), REAL(from), LEFT(to))
                     : dh_copied_strcpy(REAL(to), REAL(from))) == REAL(to),
         "returns something else");
    strcpy(MODEL(to), MODEL(from));
    note(to, length + 1), note(from, length + 1);
    return;
  case 1:
    called = "stpcpy";
    must((is_checked ? dh_copied_stpcpy_chk(REAL(to), REAL(from), LEFT(to))
                     : dh_copied_stpcpy(REAL(to), REAL(from))) == REAL(to) + length,
         "returns something else");
    strcpy(MODEL(to), MODEL(from));
    note(to, length + 1), note(from, length + 1);
    return;
  case 2:
    called = "strncpy";
    must((is_checked ? dh_copied_strncpy_chk(REAL(to), REAL(from), most, LEFT(to))
                     : dh_copied_strncpy(REAL(to), REAL(from), most)) == REAL(to),
         "returns something else");
    strncpy(MODEL(to), MODEL(from), most);
    note(to, most), note(from, length < most ? length + 1 : most);
    return;
  case 3:
    called = "strcat";
    must((is_checked ? dh_copied_strcat_chk(REAL(to), REAL(from), LEFT(to))
                     : dh_copied_strcat(REAL(to), REAL(from))) == REAL(to),
         "returns something else");
    strcat(MODEL(to), MODEL(from));
    note(to, before + length + 1), note(from, length + 1);
    return;
  default:
    called = "strncat";
    must((is_checked ? dh_copied_strncat_chk(REAL(to), REAL(from), most, LEFT(to))
                     : dh_copied_strncat(REAL(to), REAL(from), most)) == REAL(to),
         "returns something else");
    strncat(MODEL(to), MODEL(from), most);
    uint32_t added = length < most ? length : most;
    note(to, before + added + 1), note(from, length < most ? length + 1 : most);
  }
}

/* In the section's eyes. */
static void compare_seen(void) {
  uint32_t place = random_below(NEAR), size = 1 + random_below(8);
  uint64_t seen = dh_bytes_read_across((uint64_t)&shared[place], size, DH_STACK), expected = 0;
  memcpy(&expected, &shared_model[place], size);
  must(seen == expected, "left something else");
  memset(&touched[place], 1, size);
}

static void section(int is_far, int others_come) {
  static unsigned char before[SIZE];
  memcpy(before, shared, SIZE);
  memset(touched, 0, SIZE);
  dh_section_enter(1, DH_STACK);
  uint32_t calls = 1 + random_below(6);
  for (uint32_t i = 0; i < calls; i++) {
    uint32_t which = random_below(3);
    errno = 1234;
    (which == 0 ? bytes_somewhere : which == 1 ? looks_at_text : writes_text)(is_far);
    must(errno == 1234, "changed errno");
    compare_seen();
  }
  must(is_far || memcmp(before, shared, SIZE) == 0, "showed something before its time");
  for (uint32_t i = 0; others_come && i < SIZE - 1; i++)
    if (!touched[i] && shared[i] != 0)
      shared[i] = shared_model[i] = (unsigned char)(shared[i] ^ 0x20);
  dh_section_unlock(0, 0, 0);
  must(told == 0, "was told of a race that there was not");
  must(memcmp(shared, shared_model, SIZE) == 0, "left something else behind");
}

static void fill(struct region *region) {
  for (uint32_t i = 0; i < region->size; i++)
    region->real[i] = region->model[i] = (unsigned char)(random_below(30) == 0 ? 0 : some_byte());
  region->real[region->size - 1] = region->model[region->size - 1] = 0;
}

/* What was read counts as read, to the last byte. */
static void notices(void) {
  memcpy(shared, "name", 5);
  for (uint32_t i = 0; i < 6; i++) {
    told = 0;
    dh_section_enter(1, DH_STACK);
    must(dh_copied_strlen((char *)shared) == 4, "strlen is another");
    shared[i] ^= 0x20;
    dh_section_unlock(0, 0, 0);
    must(told == (i < 5), i < 5 ? "missed a race" : "was told of a race that there was not");
    shared[i] ^= 0x20;
  }
}

static __attribute__((noinline)) void run(void) {
  unsigned char own[1000], own_model[1000];
  regions[1] = (struct region){own, own_model, sizeof own};
  for (int n = 0; n < 400; n++) {
    /* Not what was left by one that went far: strings without an end in sight are left to libc. */
    if (n % 4 < 2)
      fill(&regions[0]), fill(&regions[1]);
    section(n % 4 == 0, n % 4 != 0 && n % 2 == 1);
  }
  must(memcmp(own, own_model, sizeof own) == 0, "left something else on the stack");
}

int main(int count, char **arguments) {
  state = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
  /* Far above what is called, so that its arrays are alive. */
  run();
  notices();
  puts("as libc");
  return 0;
}
