/* Memory for what is allocated before malloc has been found. It is never given back. */
#ifndef DH_EARLY_MEMORY_H
#define DH_EARLY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

extern char dh_early[32768];

static inline int dh_is_early_memory(const void *at) {
  return (uintptr_t)at - (uintptr_t)dh_early < sizeof dh_early;
}

/* Zeros; NULL if there is no more. */
void *dh_early_memory(size_t size);
/* Copies what the early block holds to where it goes on living. */
void *dh_outgrow_early_memory(const void *early, void *to, size_t size);

#endif
