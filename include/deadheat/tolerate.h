/*
 * Critical sections that work on copies of their own, for programs whose source is at hand: a thread that
 * ignores the lock cannot change what the section sees half-way, nor see what it has half done.
 *
 *   pthread_mutex_lock(&lock);
 *   {
 *     DEADHEAT_READS(limit);         only looks at it
 *     DEADHEAT_UPDATES(total);       looks at it, then changes it
 *     DEADHEAT_SETS(last_error);     gives it a new value, whatever it was
 *     if (total < limit)
 *       total++;                     `total` is the copy, until the block ends: by return and throw, too
 *   }                                here each is compared with what it was, and written back
 *   pthread_mutex_unlock(&lock);
 *
 * Arrays and structures are copied as a whole; of memory behind a pointer, DEADHEAT_READS_AT(pointer, count) and
 * its kin copy so many elements. Blocks may stand in each other, as locks may. Each section has to say of every
 * variable what it does with it: one that is only read is never written back, and a changed one that was read
 * before counts as a race that cannot be undone, if others changed it meanwhile.
 *
 * Nothing has to be linked, and deadheat need not be there. Needs gcc or clang, C or C++.
 */
#ifndef DEADHEAT_TOLERATE_H
#define DEADHEAT_TOLERATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what becomes of a word that others have changed meanwhile ---- */

/* What a section does with a variable: only reads; writes before all else; reads, then writes. */
enum deadheat_shape { DEADHEAT_READ = 1, DEADHEAT_SET = 2, DEADHEAT_UPDATE = 3 };

/*
 * What has happened, by the names of the theory: letters of the section are large, of the others small. What the
 * others did is only known by its result, so that IVa stands for I as well, and IVc for III, unless it is known
 * that nobody writes what hangs on what he has read.
 */
enum deadheat_race_class {
  DEADHEAT_NO_RACE = 0,
  DEADHEAT_CLASS_I = 1,   /* XwR */
  DEADHEAT_CLASS_III = 3, /* RwW */
  DEADHEAT_CLASS_IVA = 4, /* RrwR */
  DEADHEAT_CLASS_IVB = 5, /* WrwX */
  DEADHEAT_CLASS_IVC = 6, /* RrwW: in no order of the two would both have seen what they saw */
};

/* Whose value stays. */
enum deadheat_kept { DEADHEAT_KEEPS_THEIRS = 0, DEADHEAT_KEEPS_OURS = 1 };

struct deadheat_resolution {
  enum deadheat_race_class race;
  enum deadheat_kept kept;
  int tolerated;
};

/*
 * For a variable that others have changed while a section of this shape ran. `blind`: they are known not to
 * read before they write.
 */
static inline struct deadheat_resolution deadheat_resolve(enum deadheat_shape shape, int blind) {
  struct deadheat_resolution read = {blind ? DEADHEAT_CLASS_I : DEADHEAT_CLASS_IVA,
                                     DEADHEAT_KEEPS_THEIRS, 1};
  /* What was set blindly always comes after the section, so that what is done to several variables stays in order. */
  struct deadheat_resolution set = {blind ? DEADHEAT_CLASS_I : DEADHEAT_CLASS_IVB,
                                    blind ? DEADHEAT_KEEPS_THEIRS : DEADHEAT_KEEPS_OURS, 1};
  struct deadheat_resolution update = {blind ? DEADHEAT_CLASS_III : DEADHEAT_CLASS_IVC,
                                       DEADHEAT_KEEPS_THEIRS, blind};
  return shape == DEADHEAT_READ ? read : shape == DEADHEAT_SET ? set : update;
}

/* ---- for programs ---- */

#ifndef DEADHEAT_RESOLUTION_ONLY

struct deadheat_race {
  const char *variable, *file;
  int line;
  const void *address; /* of the word that has changed */
  unsigned size;       /* of the word */
  uint64_t before, ours, theirs;
  struct deadheat_resolution resolution;
};

/* Told of each race, if it is set: by the thread that is about to leave the section, with the lock still held. */
__attribute__((weak, visibility("default"))) void (*deadheat_race_handler)(const struct deadheat_race *);
/* Set it to 1 where those who ignore the lock never read a variable before they write it. */
__attribute__((weak, visibility("default"))) int deadheat_others_are_blind;

struct deadheat_copy {
  char *shared, *ours, *before;
  size_t size;
  enum deadheat_shape shape;
  const char *variable, *file;
  int line;
};

/* In one access, as wide as alignment allows: nobody sees half of it. */
static inline unsigned deadheat_width(const char *at, size_t left) {
  unsigned width = 8;
  while (width > left || (uintptr_t)at % width != 0)
    width /= 2;
  return width;
}

static inline uint64_t deadheat_load(const char *at, unsigned width) {
  switch (width) {
  case 8:
    return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_RELAXED);
  case 4:
    return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_RELAXED);
  case 2:
    return __atomic_load_n((const uint16_t *)(const void *)at, __ATOMIC_RELAXED);
  default:
    return __atomic_load_n((const uint8_t *)at, __ATOMIC_RELAXED);
  }
}

static inline void deadheat_store(char *at, unsigned width, uint64_t value) {
  switch (width) {
  case 8:
    __atomic_store_n((uint64_t *)(void *)at, value, __ATOMIC_RELAXED);
    return;
  case 4:
    __atomic_store_n((uint32_t *)(void *)at, (uint32_t)value, __ATOMIC_RELAXED);
    return;
  case 2:
    __atomic_store_n((uint16_t *)(void *)at, (uint16_t)value, __ATOMIC_RELAXED);
    return;
  default:
    __atomic_store_n((uint8_t *)at, (uint8_t)value, __ATOMIC_RELAXED);
  }
}

static inline struct deadheat_copy deadheat_take_copy(void *shared, void *ours, void *before,
                                                      size_t size, enum deadheat_shape shape,
                                                      const char *variable, const char *file,
                                                      int line) {
  struct deadheat_copy copy = {(char *)shared, (char *)ours, (char *)before, size,
                               shape,          variable,     file,           line};
  for (size_t at = 0; at < size;) {
    unsigned width = deadheat_width(copy.shared + at, size - at);
    uint64_t value = deadheat_load(copy.shared + at, width);
    memcpy(copy.ours + at, &value, width);
    memcpy(copy.before + at, &value, width);
    at += width;
  }
  return copy;
}

__attribute__((noinline)) static int deadheat_keeps_ours(const struct deadheat_copy *copy, size_t at,
                                                         unsigned width, uint64_t before,
                                                         uint64_t ours, uint64_t theirs) {
  struct deadheat_race race;
  race.variable = copy->variable;
  race.file = copy->file;
  race.line = copy->line;
  race.address = copy->shared + at;
  race.size = width;
  race.before = before;
  race.ours = ours;
  race.theirs = theirs;
  /* Of a structure, the section may well have left alone what others have changed. */
  race.resolution = deadheat_resolve(ours == before && copy->shape == DEADHEAT_UPDATE ? DEADHEAT_READ
                                                                                     : copy->shape,
                                     deadheat_others_are_blind);
  if (deadheat_race_handler)
    deadheat_race_handler(&race);
  return race.resolution.kept == DEADHEAT_KEEPS_OURS;
}

static inline void deadheat_give_back(struct deadheat_copy *copy) {
  for (size_t at = 0; at < copy->size;) {
    unsigned width = deadheat_width(copy->shared + at, copy->size - at);
    uint64_t before = 0, ours = 0, theirs = deadheat_load(copy->shared + at, width);
    memcpy(&before, copy->before + at, width);
    memcpy(&ours, copy->ours + at, width);
    int written = copy->shape != DEADHEAT_READ && ours != before;
    if (__builtin_expect(theirs != before, 0))
      written = deadheat_keeps_ours(copy, at, width, before, ours, theirs) &&
                (written || copy->shape == DEADHEAT_SET);
    if (written)
      deadheat_store(copy->shared + at, width, ours);
    at += width;
  }
}

#define DEADHEAT_JOIN_(a, b) a##b
#define DEADHEAT_JOIN(a, b) DEADHEAT_JOIN_(a, b)
#define DEADHEAT_NAMED(part, variable) DEADHEAT_JOIN(deadheat_##part##_, variable)

/*
 * A copy is declared as an array of bytes, so that no constructor of C++ runs and const is no obstacle; a
 * reference to it, or in C a variable of its own, bears the name.
 */
#ifdef __cplusplus
} /* extern "C" */
template <class T> T &deadheat_as(T *, void *bytes) { return *static_cast<T *>(bytes); }
#define DEADHEAT_OWN(variable)                                                                     \
  __attribute__((aligned(16))) char DEADHEAT_NAMED(ours, variable)[sizeof variable];               \
  __typeof__(*DEADHEAT_NAMED(shared, variable)) &variable =                                        \
      deadheat_as(DEADHEAT_NAMED(shared, variable), DEADHEAT_NAMED(ours, variable))
#else
#define DEADHEAT_OWN(variable) __typeof__(*DEADHEAT_NAMED(shared, variable)) variable
#endif

#define DEADHEAT_TAKE(variable, ours, size, shape)                                                 \
  struct deadheat_copy DEADHEAT_NAMED(copy, variable)                                              \
      __attribute__((cleanup(deadheat_give_back), unused)) = deadheat_take_copy(                   \
          (void *)DEADHEAT_NAMED(shared, variable), (void *)(ours),                                \
          DEADHEAT_NAMED(before, variable), size, shape, #variable, __FILE__, __LINE__)

/* From here to the end of the block, `variable` is the copy. */
#define DEADHEAT_COPY(variable, shape)                                                             \
  __typeof__(&variable) DEADHEAT_NAMED(shared, variable) = &variable;                              \
  char DEADHEAT_NAMED(before, variable)[sizeof variable];                                          \
  DEADHEAT_OWN(variable);                                                                          \
  DEADHEAT_TAKE(variable, &variable, sizeof variable, shape)

/* From here to the end of the block, `pointer` leads to a copy of `count` elements, on the stack. */
#define DEADHEAT_COPY_AT(pointer, count, shape)                                                    \
  __typeof__(&*pointer) DEADHEAT_NAMED(shared, pointer) = pointer;                                 \
  size_t DEADHEAT_NAMED(size, pointer) = (count) * sizeof *pointer;                                \
  char DEADHEAT_NAMED(before, pointer)[DEADHEAT_NAMED(size, pointer) + 1];                         \
  __attribute__((aligned(16))) char DEADHEAT_NAMED(ours, pointer)[DEADHEAT_NAMED(size, pointer) + 1]; \
  __typeof__(DEADHEAT_NAMED(shared, pointer)) pointer =                                            \
      (__typeof__(DEADHEAT_NAMED(shared, pointer)))(void *)DEADHEAT_NAMED(ours, pointer);          \
  DEADHEAT_TAKE(pointer, pointer, DEADHEAT_NAMED(size, pointer), shape)

#define DEADHEAT_READS(variable) DEADHEAT_COPY(variable, DEADHEAT_READ)
#define DEADHEAT_SETS(variable) DEADHEAT_COPY(variable, DEADHEAT_SET)
#define DEADHEAT_UPDATES(variable) DEADHEAT_COPY(variable, DEADHEAT_UPDATE)
#define DEADHEAT_READS_AT(pointer, count) DEADHEAT_COPY_AT(pointer, count, DEADHEAT_READ)
#define DEADHEAT_SETS_AT(pointer, count) DEADHEAT_COPY_AT(pointer, count, DEADHEAT_SET)
#define DEADHEAT_UPDATES_AT(pointer, count) DEADHEAT_COPY_AT(pointer, count, DEADHEAT_UPDATE)

#elif defined(__cplusplus)
} /* extern "C" */
#endif /* DEADHEAT_RESOLUTION_ONLY */

#endif
