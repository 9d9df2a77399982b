/*
 * mem* and str*, in which programs touch memory that no clone sees. The real function runs first: if
 * it crashes, it does so outside the agent.
 *
 * Only what is sure to have been touched is logged: of `strcmp("abc", "abd")` three bytes of each.
 * How far a string reaches is found out once. A second look might find that another thread has
 * overwritten its end, and go astray where the program alone would not. So strcpy is done by stpcpy,
 * which tells where it ended, strrchr by strlen and memrchr, and so on.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#include "../accesses.h"
#include "../log.h"
#include "../real.h"

typedef char *text;
typedef const char *string;
typedef const void *bytes;

DH_REAL(void *, memmove, (void *to, bytes from, size_t n), (to, from, n))
DH_REAL(void *, mempcpy, (void *to, bytes from, size_t n), (to, from, n))
DH_REAL(void *, memset, (void *to, int value, size_t n), (to, value, n))
DH_REAL(void, bzero, (void *to, size_t n), (to, n))
DH_REAL(int, memcmp, (bytes a, bytes b, size_t n), (a, b, n))
DH_REAL(int, bcmp, (bytes a, bytes b, size_t n), (a, b, n))
DH_REAL(void *, memchr, (bytes in, int value, size_t n), (in, value, n))
DH_REAL(void *, memrchr, (bytes in, int value, size_t n), (in, value, n))
DH_REAL(void *, rawmemchr, (bytes in, int value), (in, value))
DH_REAL(void *, memmem, (bytes in, size_t n, bytes what, size_t m), (in, n, what, m))
DH_REAL(size_t, strlen, (string s), (s))
DH_REAL(size_t, strnlen, (string s, size_t n), (s, n))
DH_REAL(text, strcpy, (text to, string from), (to, from))
DH_REAL(text, strncpy, (text to, string from, size_t n), (to, from, n))
DH_REAL(text, stpcpy, (text to, string from), (to, from))
DH_REAL(text, stpncpy, (text to, string from, size_t n), (to, from, n))
DH_REAL(text, strcat, (text to, string from), (to, from))
DH_REAL(text, strncat, (text to, string from, size_t n), (to, from, n))
DH_REAL(int, strcmp, (string a, string b), (a, b))
DH_REAL(int, strncmp, (string a, string b, size_t n), (a, b, n))
DH_REAL(int, strcasecmp, (string a, string b), (a, b))
DH_REAL(int, strncasecmp, (string a, string b, size_t n), (a, b, n))
DH_REAL(text, strchr, (string s, int value), (s, value))
DH_REAL(text, strchrnul, (string s, int value), (s, value))
DH_REAL(text, strrchr, (string s, int value), (s, value))
DH_REAL(text, strstr, (string s, string what), (s, what))
DH_REAL(text, strpbrk, (string s, string set), (s, set))
DH_REAL(size_t, strspn, (string s, string set), (s, set))
DH_REAL(size_t, strcspn, (string s, string set), (s, set))
DH_REAL(text, strdup, (string s), (s))
DH_REAL(text, strndup, (string s, size_t n), (s, n))
DH_REAL(text, __strdup, (string s), (s))
DH_REAL(void *, __memcpy_chk, (void *to, bytes from, size_t n, size_t room), (to, from, n, room))
DH_REAL(void *, __memmove_chk, (void *to, bytes from, size_t n, size_t room), (to, from, n, room))
DH_REAL(void *, __mempcpy_chk, (void *to, bytes from, size_t n, size_t room), (to, from, n, room))
DH_REAL(void *, __memset_chk, (void *to, int value, size_t n, size_t room), (to, value, n, room))
DH_REAL(text, __strcpy_chk, (text to, string from, size_t room), (to, from, room))
DH_REAL(text, __strncpy_chk, (text to, string from, size_t n, size_t room), (to, from, n, room))
DH_REAL(text, __stpcpy_chk, (text to, string from, size_t room), (to, from, room))
DH_REAL(text, __stpncpy_chk, (text to, string from, size_t n, size_t room), (to, from, n, room))
DH_REAL(text, __strcat_chk, (text to, string from, size_t room), (to, from, room))
DH_REAL(text, __strncat_chk, (text to, string from, size_t n, size_t room), (to, from, n, room))

#define OFF __builtin_expect(!dh_ranges_on, 1)

static void log_range(struct dh_thread *thread, int write, bytes at, size_t n, bytes caller) {
  if (n == 0)
    return;
  if (dh_ranges_on != DH_OPTION_RANGES) {
    dh_range(thread, write, at, n, caller);
    return;
  }
  uint64_t words[] = {DH_HEAD(DH_LOG_RANGE, write ? DH_WRITE : DH_READ, 0, 0), (uintptr_t)at, n,
                      (uintptr_t)caller};
  dh_log(thread, words, 4);
}

static __attribute__((noinline)) void log_two(int write_a, bytes a, size_t n, int write_b, bytes b,
                                              size_t m, bytes caller) {
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL || dh_is_internal(caller))
    return;
  dh_enter(thread);
  log_range(thread, write_a, a, n, caller);
  log_range(thread, write_b, b, m, caller);
  dh_leave(thread);
}

static inline void copied(void *to, bytes from, size_t n, bytes caller) {
  log_two(0, from, n, 1, to, n, caller);
}

static inline void written(void *to, size_t n, bytes caller) {
  log_two(1, to, n, 0, NULL, 0, caller);
}

static inline void looked_at(bytes at, size_t n, bytes caller) {
  log_two(0, at, n, 0, NULL, 0, caller);
}

static inline void compared(bytes a, bytes b, size_t n, bytes caller) {
  log_two(0, a, n, 0, b, n, caller);
}

/* How far two pieces of memory must have been compared, to learn that they differ, or do not. */
static size_t until_different(bytes a, bytes b, size_t n) {
  const volatile unsigned char *p = a, *q = b;
  size_t i = 0;
  while (i < n && p[i] == q[i])
    i++;
  return i < n ? i + 1 : n;
}

/* The same for strings; `letters`: whether a letter is the same in either case. Those of other
   alphabets are as the locale says: where they may be the same, it goes on. */
static size_t until_different_text(string a, string b, size_t n, int letters) {
  const volatile char *p = a, *q = b;
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)p[i], d = (unsigned char)q[i];
    int same = c == d || (letters && ((c | 32) == (d | 32) || (c > 127 && d > 127)));
    if (!same || c == 0 || d == 0)
      return i + 1;
  }
  return n;
}

/* A string's length when it was just read: with the zero, but no more than n. */
static inline size_t whole(string s, size_t n) {
  size_t length = real_strnlen(s, n);
  return length < n ? length + 1 : n;
}

/* Up to and with what was found, or all of it. */
static inline size_t up_to(bytes from, bytes found, size_t all) {
  return found == NULL ? all : (size_t)((string)found - (string)from) + 1;
}

/* memcpy of programs that were built before GLIBC_2.14 may overlap: memmove serves all. */
DH_HOOK void *memcpy(void *to, bytes from, size_t n) {
  if (OFF)
    return real_memmove(to, from, n);
  real_memmove(to, from, n);
  copied(to, from, n, DH_CALLER);
  return to;
}

DH_HOOK void *memmove(void *to, bytes from, size_t n) {
  if (OFF)
    return real_memmove(to, from, n);
  real_memmove(to, from, n);
  copied(to, from, n, DH_CALLER);
  return to;
}

DH_HOOK void *mempcpy(void *to, bytes from, size_t n) {
  void *result = real_mempcpy(to, from, n);
  if (!OFF)
    copied(to, from, n, DH_CALLER);
  return result;
}

DH_HOOK void *__mempcpy(void *to, bytes from, size_t n) {
  void *result = real_mempcpy(to, from, n);
  if (!OFF)
    copied(to, from, n, DH_CALLER);
  return result;
}

DH_HOOK void *memset(void *to, int value, size_t n) {
  if (OFF)
    return real_memset(to, value, n);
  real_memset(to, value, n);
  written(to, n, DH_CALLER);
  return to;
}

DH_HOOK void bzero(void *to, size_t n) {
  real_bzero(to, n);
  if (!OFF)
    written(to, n, DH_CALLER);
}

DH_HOOK int memcmp(bytes a, bytes b, size_t n) {
  if (OFF)
    return real_memcmp(a, b, n);
  int result = real_memcmp(a, b, n);
  compared(a, b, result == 0 ? n : until_different(a, b, n), DH_CALLER);
  return result;
}

DH_HOOK int bcmp(bytes a, bytes b, size_t n) {
  if (OFF)
    return real_bcmp(a, b, n);
  int result = real_bcmp(a, b, n);
  compared(a, b, result == 0 ? n : until_different(a, b, n), DH_CALLER);
  return result;
}

DH_HOOK void *memchr(bytes in, int value, size_t n) {
  void *found = real_memchr(in, value, n);
  if (!OFF)
    looked_at(in, up_to(in, found, n), DH_CALLER);
  return found;
}

DH_HOOK void *memrchr(bytes in, int value, size_t n) {
  void *found = real_memrchr(in, value, n);
  if (!OFF)
    looked_at(found == NULL ? in : found,
              found == NULL ? n : n - (size_t)((string)found - (string)in), DH_CALLER);
  return found;
}

DH_HOOK void *rawmemchr(bytes in, int value) {
  void *found = real_rawmemchr(in, value);
  if (!OFF)
    looked_at(in, up_to(in, found, 0), DH_CALLER);
  return found;
}

DH_HOOK void *memmem(bytes in, size_t n, bytes what, size_t m) {
  void *found = real_memmem(in, n, what, m);
  if (!OFF)
    log_two(0, in, found == NULL ? n : (size_t)((string)found - (string)in) + m, 0, what, m,
            DH_CALLER);
  return found;
}

DH_HOOK size_t strlen(string s) {
  if (OFF)
    return real_strlen(s);
  size_t n = real_strlen(s);
  looked_at(s, n + 1, DH_CALLER);
  return n;
}

DH_HOOK size_t strnlen(string s, size_t most) {
  size_t n = real_strnlen(s, most);
  if (!OFF)
    looked_at(s, n < most ? n + 1 : n, DH_CALLER);
  return n;
}

DH_HOOK text strcpy(text to, string from) {
  if (OFF)
    return real_strcpy(to, from);
  text end = real_stpcpy(to, from);
  copied(to, from, (size_t)(end - to) + 1, DH_CALLER);
  return to;
}

/* The rest of `to` is filled with zeros. */
DH_HOOK text strncpy(text to, string from, size_t n) {
  real_strncpy(to, from, n);
  if (!OFF)
    log_two(0, from, whole(to, n), 1, to, n, DH_CALLER);
  return to;
}

DH_HOOK text stpcpy(text to, string from) {
  text end = real_stpcpy(to, from);
  if (!OFF)
    copied(to, from, (size_t)(end - to) + 1, DH_CALLER);
  return end;
}

DH_HOOK text __stpcpy(text to, string from) {
  text end = real_stpcpy(to, from);
  if (!OFF)
    copied(to, from, (size_t)(end - to) + 1, DH_CALLER);
  return end;
}

DH_HOOK text stpncpy(text to, string from, size_t n) {
  text end = real_stpncpy(to, from, n);
  if (!OFF)
    log_two(0, from, whole(to, n), 1, to, n, DH_CALLER);
  return end;
}

/* `before`: how long the text was; `added`: what it was made longer by; `seen`: bytes of `from`. */
static inline void appended(text to, size_t before, size_t added, string from, size_t seen,
                            bytes caller) {
  looked_at(to, before + 1, caller);
  log_two(0, from, seen, 1, to + before, added + 1, caller);
}

DH_HOOK text strcat(text to, string from) {
  if (OFF)
    return real_strcat(to, from);
  size_t before = real_strlen(to);
  size_t added = (size_t)(real_stpcpy(to + before, from) - to) - before;
  appended(to, before, added, from, added + 1, DH_CALLER);
  return to;
}

/* Does what strncat does, once. */
static inline void append(text to, size_t before, string from, size_t added, size_t n,
                          bytes caller) {
  real_memmove(to + before, from, added);
  to[before + added] = 0;
  appended(to, before, added, from, added < n ? added + 1 : n, caller);
}

DH_HOOK text strncat(text to, string from, size_t n) {
  if (OFF)
    return real_strncat(to, from, n);
  append(to, real_strlen(to), from, real_strnlen(from, n), n, DH_CALLER);
  return to;
}

/* How far they must be compared comes first; the rest is within that. */
DH_HOOK int strcmp(string a, string b) {
  if (OFF)
    return real_strcmp(a, b);
  size_t n = until_different_text(a, b, SIZE_MAX, 0);
  compared(a, b, n, DH_CALLER);
  return real_strncmp(a, b, n);
}

DH_HOOK int strncmp(string a, string b, size_t most) {
  if (OFF)
    return real_strncmp(a, b, most);
  size_t n = until_different_text(a, b, most, 0);
  compared(a, b, n, DH_CALLER);
  return real_strncmp(a, b, n);
}

DH_HOOK int strcasecmp(string a, string b) {
  if (OFF)
    return real_strcasecmp(a, b);
  size_t n = until_different_text(a, b, SIZE_MAX, 1);
  compared(a, b, n, DH_CALLER);
  return real_strncasecmp(a, b, n);
}

DH_HOOK int strncasecmp(string a, string b, size_t most) {
  if (OFF)
    return real_strncasecmp(a, b, most);
  size_t n = until_different_text(a, b, most, 1);
  compared(a, b, n, DH_CALLER);
  return real_strncasecmp(a, b, n);
}

DH_HOOK text strchr(string s, int value) {
  if (OFF)
    return real_strchr(s, value);
  size_t n = (size_t)(real_strchrnul(s, value) - s) + 1;
  looked_at(s, n, DH_CALLER);
  return real_memchr(s, value, n);
}

DH_HOOK text strchrnul(string s, int value) {
  text found = real_strchrnul(s, value);
  if (!OFF)
    looked_at(s, up_to(s, found, 0), DH_CALLER);
  return found;
}

DH_HOOK text strrchr(string s, int value) {
  if (OFF)
    return real_strrchr(s, value);
  size_t n = real_strlen(s) + 1;
  looked_at(s, n, DH_CALLER);
  return real_memrchr(s, value, n);
}

DH_HOOK text strstr(string s, string what) {
  if (OFF)
    return real_strstr(s, what);
  size_t n = real_strlen(s), m = real_strlen(what);
  text found = real_memmem(s, n, what, m);
  log_two(0, s, found == NULL ? n + 1 : (size_t)(found - s) + m, 0, what, m + 1, DH_CALLER);
  return found;
}

DH_HOOK text strpbrk(string s, string set) {
  if (OFF)
    return real_strpbrk(s, set);
  size_t n = real_strcspn(s, set);
  log_two(0, s, n + 1, 0, set, real_strlen(set) + 1, DH_CALLER);
  return s[n] == 0 ? NULL : (text)s + n;
}

DH_HOOK size_t strspn(string s, string set) {
  size_t n = real_strspn(s, set);
  if (!OFF)
    log_two(0, s, n + 1, 0, set, real_strlen(set) + 1, DH_CALLER);
  return n;
}

DH_HOOK size_t strcspn(string s, string set) {
  size_t n = real_strcspn(s, set);
  if (!OFF)
    log_two(0, s, n + 1, 0, set, real_strlen(set) + 1, DH_CALLER);
  return n;
}

DH_HOOK text strdup(string s) {
  text copy = real_strdup(s);
  if (!OFF && copy != NULL)
    looked_at(s, real_strlen(copy) + 1, DH_CALLER);
  return copy;
}

DH_HOOK text __strdup(string s) {
  text copy = real___strdup(s);
  if (!OFF && copy != NULL)
    looked_at(s, real_strlen(copy) + 1, DH_CALLER);
  return copy;
}

DH_HOOK text strndup(string s, size_t n) {
  text copy = real_strndup(s, n);
  if (!OFF && copy != NULL)
    looked_at(s, whole(copy, n), DH_CALLER);
  return copy;
}

DH_HOOK void *__memcpy_chk(void *to, bytes from, size_t n, size_t room) {
  void *result = real___memcpy_chk(to, from, n, room);
  if (!OFF)
    copied(to, from, n, DH_CALLER);
  return result;
}

DH_HOOK void *__memmove_chk(void *to, bytes from, size_t n, size_t room) {
  void *result = real___memmove_chk(to, from, n, room);
  if (!OFF)
    copied(to, from, n, DH_CALLER);
  return result;
}

DH_HOOK void *__mempcpy_chk(void *to, bytes from, size_t n, size_t room) {
  void *result = real___mempcpy_chk(to, from, n, room);
  if (!OFF)
    copied(to, from, n, DH_CALLER);
  return result;
}

DH_HOOK void *__memset_chk(void *to, int value, size_t n, size_t room) {
  void *result = real___memset_chk(to, value, n, room);
  if (!OFF)
    written(to, n, DH_CALLER);
  return result;
}

DH_HOOK text __strcpy_chk(text to, string from, size_t room) {
  if (OFF)
    return real___strcpy_chk(to, from, room);
  text end = real___stpcpy_chk(to, from, room);
  copied(to, from, (size_t)(end - to) + 1, DH_CALLER);
  return to;
}

DH_HOOK text __strncpy_chk(text to, string from, size_t n, size_t room) {
  real___strncpy_chk(to, from, n, room);
  if (!OFF)
    log_two(0, from, whole(to, n), 1, to, n, DH_CALLER);
  return to;
}

DH_HOOK text __stpcpy_chk(text to, string from, size_t room) {
  text end = real___stpcpy_chk(to, from, room);
  if (!OFF)
    copied(to, from, (size_t)(end - to) + 1, DH_CALLER);
  return end;
}

DH_HOOK text __stpncpy_chk(text to, string from, size_t n, size_t room) {
  text end = real___stpncpy_chk(to, from, n, room);
  if (!OFF)
    log_two(0, from, whole(to, n), 1, to, n, DH_CALLER);
  return end;
}

/* If there is no room, libc says so and aborts. */
DH_HOOK text __strcat_chk(text to, string from, size_t room) {
  size_t before = OFF ? room : real_strlen(to);
  if (before >= room)
    return real___strcat_chk(to, from, room);
  size_t added = (size_t)(real___stpcpy_chk(to + before, from, room - before) - to) - before;
  appended(to, before, added, from, added + 1, DH_CALLER);
  return to;
}

DH_HOOK text __strncat_chk(text to, string from, size_t n, size_t room) {
  size_t before = OFF ? room : real_strlen(to);
  size_t added = before >= room ? 0 : real_strnlen(from, n);
  if (before >= room || added >= room - before)
    return real___strncat_chk(to, from, n, room);
  append(to, before, from, added, n, DH_CALLER);
  return to;
}
