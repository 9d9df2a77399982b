/*
 * What threads know of each other's samples, so that only synchronisation that makes some known is logged.
 *
 *   thread 1   sample · post(s)      news: s has not heard of that sample. Logged
 *              post(s)               s has heard all that thread 1 knows. Not logged
 *   thread 2   wait(s)               news: thread 2 has not heard of it. Logged
 *              post(t)               news for t. Logged
 *   thread 1   wait(t)               thread 2 knows nothing but what thread 1 has said itself. Not logged
 *
 * That is what clocks do that count samples: `known[1][2]` is how many of thread 2's have come to thread 1. Between
 * two samples nothing is new before long, and two threads that hand things to and fro a million times a second log
 * nothing; the analysis finds the same order of all samples as if everything had been logged (test/sampling-news.test.ts).
 *
 * What a thread learns in ways that are not counted here counts as a sample of its own: whoever hears of that has
 * heard of all that came before.
 *
 * Most operations have nothing to tell, which is found out without touching what other threads write: each thread
 * remembers of some objects what it has said and heard there last (`struct dh_met`).
 */
#ifndef DH_SAMPLING_NEWS_H
#define DH_SAMPLING_NEWS_H

#include "thread.h"

#define DH_NEWS_OBJECTS 1024 /* objects that are followed: two that share a place are logged more often */

/* Goes up whenever something at an object with that place was logged that may be new to others. */
extern uint32_t dh_generations[DH_NEWS_OBJECTS] DH_HIDDEN;

DH_HOT uint32_t dh_news_place(const void *object) {
  uint64_t mixed = (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15;
  return (uint32_t)(mixed >> 54);
}
_Static_assert(DH_NEWS_OBJECTS == 1 << (64 - 54), "places");

DH_HOT struct dh_met *dh_met_at(uint32_t place) { return &dh_thread.met[place % DH_MET]; }

/* Blocks that are kept back must be told before others can get them, and nobody may be interrupted half-way. */
DH_HOT int dh_is_plain(void) { return dh_thread.blocks == 0 && !dh_thread.busy; }

/* Whether the object has heard all that this thread could say. */
DH_HOT int dh_has_said_all(const void *object) {
  const struct dh_met *met = dh_met_at(dh_news_place(object));
  return met->object == (uintptr_t)object && met->said == dh_thread.version + 1;
}

/* Whether this thread has heard all that there is to be heard at the object. */
DH_HOT int dh_has_heard_all(const void *object) {
  uint32_t place = dh_news_place(object);
  const struct dh_met *met = dh_met_at(place);
  return met->object == (uintptr_t)object &&
         met->heard == __atomic_load_n(&dh_generations[place], __ATOMIC_ACQUIRE) + 1;
}

/*
 * For operations that are perhaps to be logged. Between `look` and `end` nobody else looks at the object, so that
 * the times of records are in the same order as what is known here.
 */
struct dh_news {
  uint32_t place;
  int is_locked;
  int is_new; /* it must be logged */
  int is_said;
  int is_vague; /* what it says is not counted */
};
struct dh_news dh_news_said(struct dh_sampled_thread *, const void *object);
struct dh_news dh_news_heard(struct dh_sampled_thread *, const void *object);
void dh_news_end(struct dh_news);

/* A sample, or something else that others have not heard of. */
void dh_news_own(struct dh_sampled_thread *);
/* In the child of a fork: nobody has said anything. */
void dh_news_forked(struct dh_sampled_thread *);

#endif
