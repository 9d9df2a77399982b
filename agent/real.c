#define _GNU_SOURCE
#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

extern const struct dh_real *const __start_dh_reals[], *const __stop_dh_reals[];

/* dlsym is hooked itself (hooks/loading.c); dlvsym is not, and finds it. */
static void *(*real_dlsym(void))(void *, const char *) {
  static void *(*found)(void *, const char *);
  if (found == NULL) {
    found = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (found == NULL)
      found = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  }
  return found;
}

void *dh_find(const char *name, const char *version) {
  int error = errno;
  void *found = version == NULL ? NULL : dlvsym(RTLD_NEXT, name, version);
  if (found == NULL && real_dlsym() != NULL)
    found = real_dlsym()(RTLD_NEXT, name);
  if (found == NULL)
    dlerror(); /* the program would get to hear of it otherwise */
  errno = error;
  return found;
}

static void *find_in_library_of(const void *caller, const char *name) {
  Dl_info library;
  void *handle = dladdr(caller, &library) == 0 || real_dlsym() == NULL
                     ? NULL
                     : dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *found = handle == NULL ? NULL : real_dlsym()(handle, name);
  if (handle != NULL)
    dlclose(handle);
  return found;
}

void *dh_find_for(const char *name, const void *caller) {
  void *found = dh_find(name, NULL);
  int error = errno;
  if (found == NULL && (found = find_in_library_of(caller, name)) == NULL)
    dlerror();
  errno = error;
  return found;
}

static long missing(void) { return ENOSYS; }

void *dh_find_or_fail(const char *name, const char *version) {
  void *found = dh_find(name, version);
  return found == NULL ? (void *)missing : found;
}

void dh_find_all(void) {
  /*
   * Where a function is missing, dlerror makes a message and frees it. If it were then that the allocator's
   * own functions are searched for, that search would begin by freeing the message as well.
   */
  free(malloc(1));
  free(realloc(calloc(1, 1), 2));
  for (const struct dh_real *const *real = __start_dh_reals; real < __stop_dh_reals; real++) {
    void *found = dh_find((*real)->name, (*real)->version);
    if (found != NULL)
      __atomic_store_n((*real)->function, found, __ATOMIC_RELAXED);
  }
}
