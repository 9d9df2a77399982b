/* Accesses to memory: from raw records to what is worth logging. */
#ifndef DH_ACCESSES_H
#define DH_ACCESSES_H

#include <stddef.h>

#include "thread.h"

/* Empties the raw buffer [undrained, cursor) into the log, and lets it begin anew. Starts the thread
   if need be: clones call it when cursor >= limit. */
void dh_drain(struct dh_thread *);
/* mem* and str*: between dh_enter and dh_leave. */
void dh_range(struct dh_thread *, int write, const void *at, size_t length, const void *caller);
/* Nobody has touched this yet. */
void dh_memory_fresh(const void *at, size_t size);
/* Has a second thread touched any of this since it was fresh? */
int dh_memory_was_shared(const void *at, size_t size);

/* A thread was started, or ends: thread->accesses is yours. */
void dh_accesses_start(struct dh_thread *);
void dh_accesses_end(struct dh_thread *);
/* This is the child of a fork: nothing that was remembered of other threads holds here. */
void dh_accesses_forked(struct dh_thread *);

#endif
