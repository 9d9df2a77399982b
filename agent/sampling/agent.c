/*
 * The agent that samples: loaded into the target by LD_PRELOAD, it keeps each thread's locks, and writes down
 * now and then where threads are. It decides nothing. Without a control file, or with one of another protocol, it
 * does nothing at all: the target must never suffer from our mistakes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../channel.h"
#include "../process.h"
#include "../real.h"
#include "../syscalls.h"
#include "../thread-numbers.h"
#include "folder.h"
#include "handler.h"
#include "images.h"
#include "log.h"
#include "thread-hooks.h"

extern void *__libc_stack_end; /* of the loader: where the first thread's stack ends */

static size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length] != 0)
    length++;
  return length;
}

/* The logs and the channel lie beside the control. A relative path would not outlive a chdir. */
static int note_folder(const char *control) {
  size_t length = length_of(control);
  while (length > 0 && control[length - 1] != '/')
    length--;
  if (control[0] != '/' || length + 64 > sizeof dh_process.folder)
    return 0;
  for (size_t i = 0; i < length; i++)
    dh_process.folder[i] = control[i];
  dh_process.folder_length = length;
  return 1;
}

static struct dh_channel *open_channel(void) {
  static char path[sizeof dh_process.folder];
  size_t length = dh_process.folder_length;
  for (size_t i = 0; i < length; i++)
    path[i] = dh_process.folder[i];
  for (const char *name = DH_SAMPLING_CHANNEL; (path[length++] = *name) != 0; name++)
    ;
  return dh_channel_open(path);
}

static struct dh_sampling_control *open_control(const char *path) {
  long fd = DH_SYSCALL(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (dh_failed(fd))
    return NULL;
  struct stat file;
  struct dh_sampling_control *control = NULL;
  long mapped = -1;
  if (DH_SYSCALL(SYS_fstat, fd, &file, 0, 0) == 0 && (size_t)file.st_size >= sizeof *control)
    mapped = dh_syscall6(SYS_mmap, 0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  if (dh_failed(mapped))
    return NULL;
  control = (struct dh_sampling_control *)mapped;
  if (control->magic == DH_SAMPLING_MAGIC && control->protocol == DH_PROTOCOL)
    return control;
  dh_unmap(control, sizeof *control);
  return NULL;
}

static void begin_first_thread(void) {
  struct rlimit limit;
  uintptr_t end = (uintptr_t)__libc_stack_end;
  int is_known = DH_SYSCALL(SYS_prlimit64, 0, RLIMIT_STACK, 0, &limit) == 0 &&
                 limit.rlim_cur < end;
  dh_thread_begin(1, is_known ? end - limit.rlim_cur : 0, end);
  dh_sync(DH_OP_BEGIN, (void *)pthread_self(), 0);
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv(DH_SAMPLING_VARIABLE);
  struct dh_sampling_control *control = path == NULL ? NULL : open_control(path);
  if (control == NULL || !note_folder(path) || open_channel() == NULL)
    return;
  dh_find_all();
  dh_clock_is_tsc = control->clock == DH_CLOCK_TSC;
  dh_process_number();
  dh_process_hello();
  dh_folder_prepare();
  dh_threads_prepare();
  dh_thread_hooks_prepare();
  dh_process_mark();
  pthread_atfork(NULL, NULL, dh_process_forked);
  dh_control = control;
  dh_images_look();
  dh_handler_prepare();
  begin_first_thread();
}

/* What the thread that ends the program has not logged yet; the others' last moments are lost. */
__attribute__((destructor)) static void end(void) {
  struct dh_sampled_thread *thread = &dh_thread;
  if (dh_control == NULL || thread->state != DH_THREAD_LIVE || thread->busy)
    return;
  dh_images_look();
  thread->busy = 1;
  if (thread->is_logging)
    dh_log_clock(thread);
  dh_log_counts(thread);
  thread->busy = 0;
}
