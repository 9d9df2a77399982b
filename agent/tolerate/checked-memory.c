/* memcpy and its kin with checks, as programs call them that were compiled with -D_FORTIFY_SOURCE. */
#include "copied-memory.h"
#include "sections.h"

/* libc says what is wrong, and ends the program: what the section has done is in memory by then. */
#define CHECKED(is_wrong, call, checked)                                                           \
  do {                                                                                             \
    if (!(is_wrong))                                                                               \
      return call;                                                                                 \
    dh_section_settle();                                                                           \
    return checked;                                                                                \
  } while (0)

extern void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
extern void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
extern void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room);
extern void *__memset_chk(void *to, int byte, size_t size, size_t room);
extern char *__strcpy_chk(char *to, const char *from, size_t room);
extern char *__stpcpy_chk(char *to, const char *from, size_t room);
extern char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);
extern char *__strcat_chk(char *to, const char *from, size_t room);
extern char *__strncat_chk(char *to, const char *from, size_t most, size_t room);

void *dh_copied_memcpy_chk(void *to, const void *from, size_t size, size_t room) {
  CHECKED(size > room, dh_copied_memcpy(to, from, size), __memcpy_chk(to, from, size, room));
}

void *dh_copied_memmove_chk(void *to, const void *from, size_t size, size_t room) {
  CHECKED(size > room, dh_copied_memcpy(to, from, size), __memmove_chk(to, from, size, room));
}

void *dh_copied_mempcpy_chk(void *to, const void *from, size_t size, size_t room) {
  CHECKED(size > room, dh_copied_mempcpy(to, from, size), __mempcpy_chk(to, from, size, room));
}

void *dh_copied_memset_chk(void *to, int byte, size_t size, size_t room) {
  CHECKED(size > room, dh_copied_memset(to, byte, size), __memset_chk(to, byte, size, room));
}

char *dh_copied_strcpy_chk(char *to, const char *from, size_t room) {
  CHECKED(dh_copied_strnlen(from, room) >= room, dh_copied_strcpy(to, from),
          __strcpy_chk(to, from, room));
}

char *dh_copied_stpcpy_chk(char *to, const char *from, size_t room) {
  CHECKED(dh_copied_strnlen(from, room) >= room, dh_copied_stpcpy(to, from),
          __stpcpy_chk(to, from, room));
}

char *dh_copied_strncpy_chk(char *to, const char *from, size_t size, size_t room) {
  CHECKED(size > room, dh_copied_strncpy(to, from, size), __strncpy_chk(to, from, size, room));
}

/* Whether one does not fit behind the other, with its end. */
static int is_too_long(const char *to, const char *from, size_t most, size_t room) {
  size_t before = dh_copied_strnlen(to, room);
  return before == room || dh_copied_strnlen(from, most) >= room - before;
}

char *dh_copied_strcat_chk(char *to, const char *from, size_t room) {
  CHECKED(is_too_long(to, from, SIZE_MAX, room), dh_copied_strcat(to, from),
          __strcat_chk(to, from, room));
}

char *dh_copied_strncat_chk(char *to, const char *from, size_t most, size_t room) {
  CHECKED(is_too_long(to, from, most, room), dh_copied_strncat(to, from, most),
          __strncat_chk(to, from, most, room));
}
