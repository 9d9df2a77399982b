/*
 * The functions that hooks stand in for.
 *
 *   DH_REAL(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
 *
 * makes real_pthread_mutex_lock, which may be called at any time: until the agent has started, and
 * for libraries that are loaded later, it finds the function when it is first called. At the start
 * all are looked up, so that none is searched for in a signal handler.
 */
#ifndef DH_REAL_H
#define DH_REAL_H

#include <stddef.h>

#define DH_HOOK __attribute__((visibility("default")))
#define DH_CALLER __builtin_return_address(0)

struct dh_real {
  const char *name;
  const char *version; /* or NULL */
  void **function;
};

/* The next definition after the agent's; NULL if there is none. Keeps errno. */
void *dh_find(const char *name, const char *version);
/* The same; if there is none, what whoever calls it would have found in its own library and those that it needs. */
void *dh_find_for(const char *name, const void *caller);
/* As dh_find, but for a missing function gives one that returns ENOSYS. */
void *dh_find_or_fail(const char *name, const char *version);
void dh_find_all(void);

#define DH_REAL_VERSION(version_, type, name_, parameters, arguments)                              \
  static type first_##name_ parameters;                                                            \
  static type(*real_##name_) parameters = first_##name_;                                           \
  static const struct dh_real real_entry_##name_ = {#name_, version_, (void **)&real_##name_};     \
  static const struct dh_real *const entry_##name_ __attribute__((section("dh_reals"), used)) =    \
      &real_entry_##name_;                                                                         \
  static type first_##name_ parameters {                                                           \
    __atomic_store_n((void **)&real_##name_, dh_find_or_fail(#name_, version_), __ATOMIC_RELAXED); \
    return real_##name_ arguments;                                                                 \
  }
#define DH_REAL(type, name, parameters, arguments)                                                 \
  DH_REAL_VERSION(NULL, type, name, parameters, arguments)

#endif
