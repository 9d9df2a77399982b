#define _GNU_SOURCE
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../log-file.h"
#include "../process.h"
#include "../syscalls.h"

#define WANTED_DESCRIPTOR 1000

/* The descriptor that is kept, and what it was opened for: the program may close it, and use its number. */
static struct {
  int fd; /* 0: none */
  uint64_t device, inode;
} kept;

static long open_folder(void) {
  return DH_SYSCALL(SYS_openat, AT_FDCWD, dh_process.folder, O_DIRECTORY | O_CLOEXEC | O_PATH, 0);
}

static void close_file(long fd) { DH_SYSCALL(SYS_close, fd, 0, 0, 0); }

void dh_folder_prepare(void) {
  struct stat found;
  struct rlimit limit;
  if (DH_SYSCALL(SYS_geteuid, 0, 0, 0, 0) != 0)
    return;
  long fd = open_folder();
  if (dh_failed(fd))
    return;
  uint64_t number = WANTED_DESCRIPTOR;
  if (DH_SYSCALL(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit) == 0 && limit.rlim_cur <= number)
    number = limit.rlim_cur - 1;
  long far = DH_SYSCALL(SYS_fcntl, fd, F_DUPFD_CLOEXEC, number, 0);
  close_file(fd);
  if (dh_failed(far))
    return;
  DH_SYSCALL(SYS_fstat, far, &found, 0, 0);
  kept.fd = (int)far;
  kept.device = found.st_dev;
  kept.inode = found.st_ino;
}

static int is_kept(void) {
  struct stat found;
  return kept.fd != 0 && DH_SYSCALL(SYS_fstat, kept.fd, &found, 0, 0) == 0 &&
         found.st_dev == kept.device && found.st_ino == kept.inode;
}

/* Whoever this process becomes must be able to go on with what it has begun as root. */
static void let_others_write(long fd) {
  if (kept.fd != 0)
    DH_SYSCALL(SYS_fchmod, fd, 0666, 0, 0);
}

long dh_folder_open(uint32_t thread, int flags) {
  char name[32];
  dh_log_name(name, dh_process.number, thread);
  long folder = is_kept() ? kept.fd : open_folder();
  if (dh_failed(folder))
    return folder;
  long fd = DH_SYSCALL(SYS_openat, folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (folder != kept.fd)
    close_file(folder);
  if (!dh_failed(fd) && (flags & O_CREAT))
    let_others_write(fd);
  return fd;
}
