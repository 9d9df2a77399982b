/*
 * mem* and str*. Each is called by its name at run time, as other compilation units would, and says
 * what it returned; `text` and `other` are what the ranges are about.
 */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "named.h"

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);

char text[64], other[64], third[64];

static long place(const void *found, const char *in) {
  return found == NULL ? -1 : (const char *)found - in;
}
static int sign(int value) { return (value > 0) - (value < 0); }

int main(void) {
  NAMED(text), NAMED(other), NAMED(third);
  puts("begin");
  MUST(memcpy(text, "abcdefgh", 9) == text);
  MUST(memmove(text + 1, text, 4) == text + 1); /* aabcdfgh */
  MUST(mempcpy(other, "xyz", 4) == other + 4);
  MUST(memset(other + 8, 'q', 5) == other + 8);
  printf("%s %s\n", text, other);
  printf("%d ", sign(memcmp(text, other, 8)));
  printf("%d\n", sign(memcmp("aabX", text, 4)));
  printf("%ld ", place(memchr(text, 'b', 8), text));
  printf("%ld\n", place(memchr(text, 'Z', 8), text));
  printf("%ld\n", place(memrchr(text, 'a', 8), text));
  printf("%ld ", place(memmem(text, 8, "cd", 2), text));
  printf("%ld\n", place(rawmemchr(text, 'd'), text));
  printf("%zu ", strlen(text));
  printf("%zu\n", strnlen(text, 3));
  MUST(strcpy(third, text) == third && stpcpy(third, "hello") == third + 5);
  MUST(strncpy(third + 8, "hi", 5) == third + 8);
  MUST(strcat(third, " you") == third && strncat(third, "!??", 1) == third);
  printf("%s\n", third);
  printf("%d ", sign(strcmp(third, "hello")));
  printf("%d\n", sign(strncmp(third, "help", 3)));
  printf("%d ", sign(strcasecmp(third, "HELLO YOU!")));
  printf("%d\n", sign(strncasecmp(third, "HELP", 4)));
  printf("%ld ", place(strchr(third, 'l'), third));
  printf("%ld\n", place(strchr(third, 'Z'), third));
  printf("%ld ", place(strchr(third, 0), third));
  printf("%ld\n", place(strchrnul(third, 'Z'), third));
  printf("%ld ", place(strrchr(third, 'l'), third));
  printf("%ld\n", place(strrchr(third, 'Z'), third));
  printf("%ld ", place(strstr(third, "lo"), third));
  printf("%ld\n", place(strstr(third, "Z"), third));
  printf("%ld ", place(strstr(third, ""), third));
  printf("%ld\n", place(strpbrk(third, "ol"), third));
  printf("%zu ", strspn(third, "hel"));
  printf("%zu\n", strcspn(third, "yl"));
  char *copy = strdup(third), *part = strndup(third, 3);
  printf("%s %s\n", copy, part);
  MUST(__memcpy_chk(text, "12", 3, 64) == text && __memset_chk(text + 2, '3', 2, 62) == text + 2);
  text[4] = 0;
  MUST(__strcpy_chk(other, text, 64) == other && __strcat_chk(other, "45", 64) == other);
  MUST(__strncat_chk(other, "678", 2, 64) == other);
  printf("%s %s\n", text, other);
  free(copy), free(part);
  bzero(text, 4);
  puts("end");
  fflush(stdout);
  if (getenv("OVERFLOW") != NULL)
    __strcat_chk(other, "does not fit", 10);
  return 0;
}
