/* Our end of the channel: see deadheat.h. */
#define _GNU_SOURCE
#include "channel.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "syscalls.h"

static struct dh_channel *channel;

struct dh_channel *dh_channel_open(const char *path) {
  long fd = DH_SYSCALL(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (dh_failed(fd))
    return NULL;
  struct stat file;
  long mapped = -1;
  if (DH_SYSCALL(SYS_fstat, fd, &file, 0, 0) == 0 &&
      (size_t)file.st_size >= sizeof(struct dh_channel))
    mapped = dh_syscall6(SYS_mmap, 0, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  if (dh_failed(mapped))
    return NULL;
  struct dh_channel *found = (struct dh_channel *)mapped;
  int usable = found->magic == DH_MAGIC && found->protocol == DH_PROTOCOL &&
               found->capacity <= file.st_size - sizeof(struct dh_channel);
  if (!usable) {
    dh_unmap(found, file.st_size);
    return NULL;
  }
  channel = found;
  return found;
}

uint32_t dh_channel_new_process(void) {
  return __atomic_add_fetch(&channel->processes, 1, __ATOMIC_RELAXED);
}

static char *copy(char *to, const void *from, size_t length) {
  for (size_t i = 0; i < length; i++)
    to[i] = ((const char *)from)[i];
  return to + length;
}

/* Without room the record is dropped: the reader sees by `reserved` that something is missing. */
void dh_channel_append(struct dh_record *head, size_t head_size, const void *bytes, size_t length,
                       const void *more, size_t more_length) {
  if (channel == NULL)
    return;
  head->size = (uint32_t)((head_size + length + more_length + 7) & ~(size_t)7);
  uint64_t at = __atomic_fetch_add(&channel->reserved, head->size, __ATOMIC_RELAXED);
  if (at + head->size > channel->capacity)
    return;
  struct dh_record *place = (struct dh_record *)((char *)(channel + 1) + at);
  char *to = copy((char *)&place->size, &head->size, head_size - offsetof(struct dh_record, size));
  copy(copy(to, bytes, length), more, more_length);
  __atomic_store_n(&place->kind, head->kind, __ATOMIC_RELEASE);
}
