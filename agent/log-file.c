#define _GNU_SOURCE
#include "log-file.h"

#include <errno.h>
#include <sys/resource.h>

#include "syscalls.h"

#define PAGE 4096

static char *append_number(char *to, uint32_t number) {
  char digits[10];
  int count = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  while (count > 0)
    *to++ = digits[--count];
  return to;
}

void dh_log_name(char *to, uint32_t process, uint32_t thread) {
  char *at = append_number(to, process);
  *at++ = '-';
  at = append_number(at, thread);
  for (const char *suffix = ".log"; (*at++ = *suffix) != 0; suffix++)
    ;
}

/* Beyond this limit we would not get an error, but the program a SIGXFSZ. */
static int exceeds_limit(uint64_t size) {
  struct rlimit limit;
  return DH_SYSCALL(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0 && limit.rlim_cur < size;
}

static long write_all(long fd, const char *from, uint64_t length, uint64_t offset) {
  while (length > 0) {
    long written = DH_SYSCALL(SYS_pwrite64, fd, from, length, offset);
    if (written == -EINTR)
      continue;
    if (dh_failed(written))
      return written;
    if (written == 0)
      return -ENOSPC;
    from += written;
    offset += (uint64_t)written;
    length -= (uint64_t)written;
  }
  return 0;
}

static long write_zeros(long fd, uint64_t from, uint64_t to) {
  static const char zeros[PAGE];
  long result = 0;
  for (; from < to && result == 0; from += PAGE)
    result = write_all(fd, zeros, PAGE, from);
  return result;
}

long dh_log_reserve(long fd, uint64_t from, uint64_t to) {
  if (exceeds_limit(to))
    return -EFBIG;
  long result;
  do
    result = DH_SYSCALL(SYS_fallocate, fd, 0, from, to - from);
  while (result == -EINTR);
  return result == -EOPNOTSUPP || result == -ENOSYS ? write_zeros(fd, from, to) : result;
}

long dh_log_write(long fd, const void *from, uint64_t length, uint64_t offset) {
  return exceeds_limit(offset + length) ? -EFBIG : write_all(fd, from, length, offset);
}
