/*
 * Copies that stay when an inner lock is taken or let go of, one story each: what came of it, and what was told.
 * Level 1 is the outer lock, level 2 the inner one.
 */
#define _GNU_SOURCE
#include "../../agent/tolerate/private-words.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static struct dh_words words;
static char told[200];

static void tell(const struct dh_words_race *race) {
  size_t length = strlen(told);
  snprintf(told + length, sizeof told - length, " class %u: %d became %d, ours %d%s", race->race,
           (int)race->original, (int)race->theirs, (int)race->ours, race->tolerated ? "" : ", intolerable");
}
static struct dh_words_mode mode = {.tell = tell, .watched = &dh_nothing_watched};

static long at(volatile long *variable, enum dh_access access, uint32_t level, long value) {
  long *found = (long *)dh_words_find(&words, &mode, (uint64_t)variable, sizeof *variable, access, level);
  if (access != DH_ACCESS_READ)
    *found = value;
  return *found;
}
static long look(volatile long *variable, uint32_t level) { return at(variable, DH_ACCESS_READ, level, 0); }
static void set(volatile long *variable, uint32_t level, long value) {
  at(variable, DH_ACCESS_WRITE, level, value);
}

static void take_inner(void) { dh_words_publish(&words, &mode); }
static void let_go_of(uint32_t level) {
  dh_words_publish(&words, &mode);
  dh_words_forget(&words, level);
}
static void end_with(const char *story, const volatile long *result) {
  dh_words_finish(&words, &mode);
  printf("%s: %ld, told%s, left %u\n", story, *result, told[0] ? told : " nothing", words.count + words.sleepers);
  told[0] = 0;
}

static volatile long x, y, parcels[64];
enum { PAGE = 4096 };

static void unmapped(void) {
  long *parcel = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  set(parcel, 1, 5);
  set(&y, 2, 1);
  let_go_of(2);
  long seen = *parcel;
  munmap(parcel, PAGE);
  set(&x, 1, 3);
  end_with("given back to the kernel by whoever has it now", &seen);
}

static void written(void) {
  for (int i = 0; i < 64; i++)
    set(&parcels[i], 1, i);
  set(&y, 2, 1);
  let_go_of(2);
  for (int i = 0; i < 64; i++)
    parcels[i] = -1;
  end_with("written by whoever has it now", &parcels[63]);
}

static void used_again(void) {
  for (int i = 0; i < 64; i++)
    set(&parcels[i], 1, i);
  set(&y, 2, 1);
  let_go_of(2);
  parcels[7] = 70;
  long sum = 0;
  for (int i = 0; i < 64; i += 7)
    sum += look(&parcels[i], 1);
  end_with("used again", &sum);
}

/* Of three locks, the words of the first one stay for as long as that one is held. */
static void three_locks(void) {
  x = y = 1;
  set(&x, 1, 10);
  set(&y, 2, 20);
  set(&parcels[0], 3, 30);
  let_go_of(3);
  look(&x, 2);
  let_go_of(2);
  x = y = 2;
  long sum = look(&x, 1) + look(&y, 1);
  end_with("three locks", &sum);
}

static void theirs_kept(int sets_again, int changes_again) {
  x = 5;
  look(&x, 1);
  x = 9;
  take_inner();
  take_inner();
  if (changes_again)
    x = 11;
  if (sets_again)
    set(&x, 1, look(&x, 1) + 1);
  let_go_of(2);
  look(&x, 1);
}

/* What is lost once is not told again, unless more is. */
static void lost_twice(void) {
  x = 5;
  set(&x, 1, look(&x, 1) + 1);
  x = 9;
  take_inner();
  long seen = look(&x, 1);
  set(&x, 1, seen + 1);
  let_go_of(2);
}

int main(void) {
  unmapped();
  written();
  used_again();
  three_locks();
  theirs_kept(0, 0);
  end_with("only read", &x);
  theirs_kept(0, 1);
  end_with("only read, and changed again", &x);
  theirs_kept(1, 0);
  end_with("read, and set when theirs was kept", &x);
  lost_twice();
  end_with("lost twice", &x);
  mode.blind = 1;
  theirs_kept(1, 1);
  end_with("the same, of blind others", &x);
  look(&x, 1);
  end_with("and afterwards", &x);
  return 0;
}
