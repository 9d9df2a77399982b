/*
 * memcpy and its kin as a section sees memory: what it has copies of is read and written there, and what it has
 * none of gets some. Clones call these in the place of those of libc, as any function is called.
 *
 *   section:  memcpy(&shown, &made, sizeof made)    `made` is read from its copies, `shown` is written to others
 *   others:   nothing of `shown` is in memory before the unlock
 *
 * A thread's own stack has no copies: whoever only works there does it by libc at once. What has no room among
 * the copies is done by libc, too, and all is published before, as for any other call of code without a clone.
 */
#ifndef DH_COPIED_MEMORY_H
#define DH_COPIED_MEMORY_H

#include <stddef.h>

void *dh_copied_memcpy(void *to, const void *from, size_t size);
void *dh_copied_mempcpy(void *to, const void *from, size_t size);
void *dh_copied_memset(void *to, int byte, size_t size);
int dh_copied_memcmp(const void *one, const void *other, size_t size);
void *dh_copied_memchr(const void *in, int byte, size_t size);
size_t dh_copied_strlen(const char *text);
size_t dh_copied_strnlen(const char *text, size_t most);
int dh_copied_strcmp(const char *one, const char *other);
int dh_copied_strncmp(const char *one, const char *other, size_t most);
char *dh_copied_strchr(const char *text, int byte);
char *dh_copied_strrchr(const char *text, int byte);
char *dh_copied_strcpy(char *to, const char *from);
char *dh_copied_stpcpy(char *to, const char *from);
char *dh_copied_strncpy(char *to, const char *from, size_t size);
char *dh_copied_strcat(char *to, const char *from);
char *dh_copied_strncat(char *to, const char *from, size_t most);

/* What programs call that were compiled with checks (-D_FORTIFY_SOURCE): `room` is what `to` has. */
void *dh_copied_memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *dh_copied_memmove_chk(void *to, const void *from, size_t size, size_t room);
void *dh_copied_mempcpy_chk(void *to, const void *from, size_t size, size_t room);
void *dh_copied_memset_chk(void *to, int byte, size_t size, size_t room);
char *dh_copied_strcpy_chk(char *to, const char *from, size_t room);
char *dh_copied_stpcpy_chk(char *to, const char *from, size_t room);
char *dh_copied_strncpy_chk(char *to, const char *from, size_t size, size_t room);
char *dh_copied_strcat_chk(char *to, const char *from, size_t room);
char *dh_copied_strncat_chk(char *to, const char *from, size_t most, size_t room);

#endif
