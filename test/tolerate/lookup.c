/*
 * Stubs of lookup.S against private-words.c: after each of many random accesses, in all sizes, both have to know the same of the words that were touched. Some are the thread's own, and have no copies.
 */
#include "../../agent/tolerate/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *const dh_stubs[];
static void nothing_told(const struct dh_words_race *race) {
  (void)race;
  puts("told of a race");
  exit(1);
}
struct dh_words_mode dh_mode = {.tell = nothing_told, .watched = &dh_nothing_watched};

static unsigned char memory[96 * 1024] __attribute__((aligned(32768)));
static __thread unsigned char own[64] __attribute__((aligned(64)));
static struct dh_words model;

static uint64_t state = 1;
static uint32_t random_below(uint32_t limit) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 33) % limit;
}

/* rdi is the sixth that has stubs; flags have to come back as they were, where that is asked for. */
enum { RDI = 6, SIZES = 4, ACCESSES = 3 };
static uint64_t by_stub(uint64_t address, uint32_t size_place, uint32_t access, uint32_t flags) {
  void *stub = dh_stubs[((RDI * SIZES + size_place) * ACCESSES + access) * 2 + flags];
  uint64_t kept[8], sum = 0;
  unsigned char carry, is_zero;
  __asm__ volatile("mov $11, %%rax; mov $12, %%rcx; mov $13, %%rdx; mov $14, %%rsi\n"
                   "mov $15, %%r8; mov $16, %%r9; mov $17, %%r10; mov $18, %%r11\n"
                   "cmp $11, %%rax; stc; call *%[stub]\n"
                   "setc %[carry]; setz %[zero]\n"
                   "mov %%rax, 0(%[kept]); mov %%rcx, 8(%[kept]); mov %%rdx, 16(%[kept])\n"
                   "mov %%rsi, 24(%[kept]); mov %%r8, 32(%[kept]); mov %%r9, 40(%[kept])\n"
                   "mov %%r10, 48(%[kept]); mov %%r11, 56(%[kept])\n"
                   : "+D"(address), [carry] "=&r"(carry), [zero] "=&r"(is_zero)
                   : [stub] "r"(stub), [kept] "r"(kept)
                   : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
  for (int i = 0; i < 8; i++)
    sum += kept[i] != (uint64_t)(11 + i);
  if (sum != 0 || (flags && !(carry && is_zero))) {
    puts("registers or flags are not as before");
    exit(1);
  }
  return address;
}

static int differ(const struct dh_words_array *one, const struct dh_words_array *other) {
  return memcmp(one->at, other->at, sizeof one->at) != 0;
}

static void compare(void) {
  const struct dh_words *words = dh_sections.words;
  int is_same = words->count == model.count && words->writes == model.writes &&
                memcmp(words->owner, model.owner, sizeof model.owner) == 0 &&
                memcmp(words->touched, model.touched, model.count * 4) == 0 &&
                memcmp(words->order, model.order, model.writes * 4) == 0;
  for (uint32_t i = 0; is_same && i < model.count; i++) {
    uint32_t at = dh_listed_place(model.touched[i]);
    is_same = words->value.at[at] == model.value.at[at] && words->valid.at[at] == model.valid.at[at] &&
              words->original.at[at] == model.original.at[at] &&
              words->read.at[at] == model.read.at[at] &&
              /* Of bytes that have been copied and written one by one, stubs do not note that they belong together. */
              (words->joined.at[at] & ~model.joined.at[at]) == 0 &&
              words->written.at[at] == model.written.at[at];
  }
  if (!is_same || differ(&words->address, &model.address)) {
    puts("not the same words");
    exit(1);
  }
}

/* Few words, so that they are touched again; where others belong, too. */
static unsigned char *some_place(void) {
  static const uint32_t around[] = {0, 40, 32760, 25000, 45800, 66600, 90000};
  if (random_below(16) == 0)
    return own + random_below(16);
  return memory + around[random_below(7)] + random_below(24);
}

int main(int count, char **arguments) {
  state = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
  dh_section_enter(1, (uint64_t)__builtin_frame_address(0) - 4096);
  for (int section = 0; section < 500; section++) {
    for (int step = 0; step < 60; step++) {
      uint32_t size_place = random_below(4), access = random_below(3), size = 1u << size_place;
      unsigned char *place = some_place();
      /* Across lines, words may be published before their time: one of the two would see what the other did. */
      if ((uint64_t)place % 64 + size > 64)
        continue;
      uint64_t found = by_stub((uint64_t)place, size_place, access, random_below(2)), value = random_below(~0u);
      if (place >= own && place < own + sizeof own) {
        if (found != (uint64_t)place)
          return puts("the thread's own has a copy"), 1;
        continue;
      }
      void *same = (void *)dh_words_find(&model, &dh_mode, (uint64_t)place, size, access, 1);
      if (memcmp((void *)found, same, size) != 0)
        return puts("another value"), 1;
      if (access != DH_ACCESS_READ) {
        memcpy((void *)found, &value, size);
        memcpy(same, &value, size);
      }
      compare();
    }
    /* Both store the same; what the first has stored is no race to the second. */
    static unsigned char before[sizeof memory], after[sizeof memory];
    memcpy(before, memory, sizeof memory);
    dh_section_settle();
    memcpy(after, memory, sizeof memory);
    memcpy(memory, before, sizeof memory);
    dh_words_finish(&model, &dh_mode);
    if (memcmp(memory, after, sizeof memory) != 0)
      return puts("other words were stored"), 1;
  }
  puts("the same");
  return 0;
}
