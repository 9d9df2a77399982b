/* Programs map memory, and give it back, by these: whether it is a device's is noted. */
#define _GNU_SOURCE
#include <linux/magic.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "../real-mapping.h"
#include "../syscalls.h"
#include "devices.h"

/* Files are memory, but for those by which sysfs shows the registers of devices. */
static int is_device_file(int fd) {
  struct stat file;
  struct statfs system;
  if (dh_failed(DH_SYSCALL(SYS_fstat, fd, &file, 0, 0)))
    return 0;
  switch (file.st_mode & S_IFMT) {
  case S_IFREG:
    return !dh_failed(DH_SYSCALL(SYS_fstatfs, fd, &system, 0, 0)) && system.f_type == SYSFS_MAGIC;
  case S_IFBLK:
    return 0;
  case S_IFCHR:
    return file.st_rdev != makedev(1, 5); /* /dev/zero */
  default:
    return 1; /* of the kernel's own making: perf, io_uring */
  }
}

static void *mapped(void *at, size_t size, int flags, int fd) {
  if (at == MAP_FAILED)
    return at;
  if (flags & MAP_FIXED)
    dh_devices_give_up(at, size);
  if (!(flags & MAP_ANONYMOUS) && is_device_file(fd))
    dh_devices_add(at, size);
  return at;
}

DH_HOOK void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  return mapped(real_mmap(at, size, protection, flags, fd, offset), size, flags, fd);
}

DH_HOOK void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
  return mapped(real_mmap64(at, size, protection, flags, fd, offset), size, flags, fd);
}

/* Before it is gone: what comes there next is perhaps no device. */
DH_HOOK int munmap(void *at, size_t size) {
  dh_devices_give_up(at, size);
  return real_munmap(at, size);
}

DH_HOOK void *mremap(void *at, size_t size, size_t new_size, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void *new_at = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
  va_end(more);
  void *moved = real_mremap(at, size, new_size, flags, new_at);
  if (moved != MAP_FAILED && dh_devices_give_up(at, size))
    dh_devices_add(moved, new_size);
  return moved;
}
