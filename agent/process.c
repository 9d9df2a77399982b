/* What a process is: who it is, where libc lies in it, and what happens to it when it forks. */
#define _GNU_SOURCE
#include "process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "accesses.h"
#include "channel.h"
#include "log.h"
#include "real.h"
#include "schedule.h"
#include "syscalls.h"
#include "thread.h"

int dh_on;
int dh_ranges_on;
struct dh_process dh_process;
struct dh_fork_mark dh_fork_mark;

/* Without strrchr and the like, whose hooks ask for this. */
static int is_libgcc(const char *path) {
  static const char wanted[] = "libgcc_s.so";
  const char *name = path;
  for (; *path != 0; path++)
    if (*path == '/')
      name = path + 1;
  size_t same = 0;
  while (same < sizeof wanted - 1 && name[same] == wanted[same])
    same++;
  return same == sizeof wanted - 1;
}

/* Adds the object's code to where libc, the loader or libgcc lies, if it is one of them. */
static int note_code(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *name = slash == NULL ? info->dlpi_name : slash + 1;
  int is_libc = strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libpthread.so", 13) == 0;
  int is_loader = strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-2", 4) == 0;
  if (!is_libc && !is_loader && !is_libgcc(name))
    return 0;
  uintptr_t *begin = is_libc ? &dh_process.libc : is_loader ? &dh_process.loader
                                                            : &dh_process.libgcc;
  uintptr_t *end = is_libc ? &dh_process.libc_end : is_loader ? &dh_process.loader_end
                                                              : &dh_process.libgcc_end;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
      continue;
    *begin = info->dlpi_addr + segment->p_vaddr;
    *end = *begin + segment->p_memsz;
  }
  return 0;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35 */
static int (*find_object)(void *, struct dl_find_object *);
#endif

void dh_process_find_libc(void) {
  dl_iterate_phdr(note_code, NULL);
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  find_object = (int (*)(void *, struct dl_find_object *))dh_find("_dl_find_object", NULL);
#endif
}

/*
 * Asks the loader, which needs no locks for that; and remembers in which pages of code there is something else.
 * Before glibc 2.35 nobody can be asked at any time.
 */
int dh_is_unwinder(uintptr_t at) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  static uintptr_t other_pages[1024];
  uintptr_t page = at >> 12;
  uintptr_t *other = &other_pages[page % 1024];
  if (__builtin_expect(__atomic_load_n(other, __ATOMIC_RELAXED) == page, 1))
    return 0;
  struct dl_find_object found;
  if (find_object != NULL && find_object((void *)at, &found) == 0 &&
      is_libgcc(found.dlfo_link_map->l_name)) {
    dh_process.libgcc_end = (uintptr_t)found.dlfo_map_end;
    __atomic_store_n(&dh_process.libgcc, (uintptr_t)found.dlfo_map_start, __ATOMIC_RELEASE);
    return 1;
  }
  __atomic_store_n(other, page, __ATOMIC_RELAXED);
#else
  (void)at;
#endif
  return 0;
}

void dh_process_mark(void) {
  /* Old kernels know no such advice: then only pthread_atfork tells (hooks/fork.c). */
  DH_SYSCALL(SYS_madvise, &dh_fork_mark, sizeof dh_fork_mark, 18 /* MADV_WIPEONFORK */, 0);
  dh_fork_mark.owner = dh_process.number;
}

void dh_process_forked(void) {
  if (!dh_on || dh_fork_mark.owner == (uint32_t)-1)
    return;
  struct dh_thread *thread = &dh_self;
  uint32_t parent = dh_process.number;
  uint32_t parent_thread = thread->number;
  dh_fork_mark.owner = (uint32_t)-1; /* what is called from here must not come here again */
  thread->busy++;
  dh_process_number();
  dh_process.parent_number = parent;
  dh_process.log_stopped = dh_process.unlogged;
  dh_schedule_forked();
  dh_fork_mark.owner = dh_process.number;
  dh_process_hello();
  dh_thread_forked(thread, parent, parent_thread);
  dh_leave(thread);
}
