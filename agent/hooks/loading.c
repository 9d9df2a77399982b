/*
 * dlopen, and dlsym, without which little of what was loaded can be reached: clones for a library
 * are put in place when the first dlsym after it was loaded asks for something.
 *
 * Both real functions look at who calls them (for the search path, for RTLD_NEXT). So they are not
 * called but jumped to, as the last deed of the hook: the return address stays the caller's. This
 * needs optimisation; a test loads a library that only its caller's search path finds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../process.h"
#include "../real.h"
#include "../thread.h"

static int something_was_loaded;

DH_REAL(void *, dlopen, (const char *file, int mode), (file, mode))
DH_REAL(void *, dlsym, (void *handle, const char *name), (handle, name))

static void before_opening(void) {
  if (dh_on)
    __atomic_store_n(&something_was_loaded, 1, __ATOMIC_RELAXED);
}

static void look_at_what_was_loaded(void) {
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL || !__atomic_exchange_n(&something_was_loaded, 0, __ATOMIC_RELAXED))
    return;
  thread->quiet++;
  if (dh_blobs_changed != NULL)
    dh_blobs_changed();
  thread->quiet--;
}

DH_HOOK void *dlopen(const char *file, int mode) {
  before_opening();
  return real_dlopen(file, mode);
}

DH_HOOK void *dlsym(void *handle, const char *name) {
  if (__builtin_expect(something_was_loaded, 0))
    look_at_what_was_loaded();
  return real_dlsym(handle, name);
}
