/*
 * The agent: loaded into the target by LD_PRELOAD, it maps the channel and appends records. It
 * decides nothing. Without a channel, or with one of another protocol, it does nothing at all: the
 * target must never suffer from our mistakes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deadheat.h"

static struct dh_channel *channel;

static struct dh_channel *map_channel(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  struct stat file;
  void *mapped = MAP_FAILED;
  if (fstat(fd, &file) == 0 && (size_t)file.st_size >= sizeof(struct dh_channel))
    mapped = mmap(NULL, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED)
    return NULL;
  struct dh_channel *found = mapped;
  int usable = found->magic == DH_MAGIC && found->protocol == DH_PROTOCOL &&
               found->capacity <= file.st_size - sizeof(struct dh_channel);
  if (usable)
    return found;
  munmap(mapped, file.st_size);
  return NULL;
}

/* Copies a record into the channel; drops it if there is no room (the reader sees `reserved`). */
static void append(const struct dh_record *record) {
  uint64_t at = __atomic_fetch_add(&channel->reserved, record->size, __ATOMIC_RELAXED);
  if (at + record->size > channel->capacity)
    return;
  struct dh_record *place = (struct dh_record *)((char *)(channel + 1) + at);
  memcpy(&place->size, &record->size, record->size - offsetof(struct dh_record, size));
  __atomic_store_n(&place->kind, record->kind, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void say_hello(void) {
  const char *path = getenv(DH_CHANNEL_VARIABLE);
  if (path == NULL || (channel = map_channel(path)) == NULL)
    return;
  struct dh_hello hello = {
      .record = {.kind = DH_KIND_HELLO, .size = sizeof hello},
      .pid = getpid(),
      .protocol = DH_PROTOCOL,
  };
  append(&hello.record);
}
