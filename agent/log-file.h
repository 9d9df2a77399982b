/*
 * Writing the file of a log (deadheat.h) without ever hurting the program: blocks are reserved before a window
 * of it is mapped, so that a full disk does not become a SIGBUS, and nothing is written beyond the limit of a
 * file's size, where the program would get a SIGXFSZ. All give 0, or a negative errno value.
 */
#ifndef DH_LOG_FILE_H
#define DH_LOG_FILE_H

#include <stdint.h>

#define DH_LOG_FIRST_PART 16384 /* of the window: all that threads need that do little */

/* `<process>-<thread>.log`: at most 32 bytes with the zero at its end. */
void dh_log_name(char *to, uint32_t process, uint32_t thread);
/* Blocks for a part of the window, so that no write into it can fail. */
long dh_log_reserve(long fd, uint64_t from, uint64_t to);
/* All of the bytes, or an error. */
long dh_log_write(long fd, const void *from, uint64_t length, uint64_t offset);

#endif
