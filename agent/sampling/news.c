#include "news.h"

#include "../process.h"

/* Threads with higher numbers are not followed: whatever they say is new. */
#ifndef FOLLOWED
#define FOLLOWED 256
#endif
#define PATIENCE 1000 /* looks at a lock that is held: whoever has it may have been cancelled, and never return */

uint32_t dh_generations[DH_NEWS_OBJECTS];

/* By the number of the thread; each is written by that thread alone. */
static uint32_t known[FOLLOWED][FOLLOWED];

static struct place {
  uintptr_t object; /* 0: none yet */
  uint32_t lock;
  /* Up to this generation it has perhaps heard of more than `known` has: 0 for never. There was another object before,
     or a thread that is not followed. Who has heard something there since then knows it all the same. */
  uint32_t vague_until;
  uint32_t known[FOLLOWED];
} places[DH_NEWS_OBJECTS];

static int is_followed(const struct dh_sampled_thread *thread) { return thread->number < FOLLOWED; }

static uint32_t threads(void) {
  uint32_t last = __atomic_load_n(&dh_process.threads, __ATOMIC_RELAXED);
  return last < FOLLOWED ? last : FOLLOWED - 1;
}

static int lock(struct place *place) {
  for (int i = 0; i < PATIENCE; i++) {
    if (!__atomic_exchange_n(&place->lock, 1, __ATOMIC_ACQUIRE))
      return 1;
    __builtin_ia32_pause();
  }
  return 0;
}

/* Copies what `to` lacks. */
static int tell(const uint32_t *from, uint32_t *to) {
  int is_new = 0;
  for (uint32_t i = 1, last = threads(); i <= last; i++)
    if (from[i] > to[i]) {
      to[i] = from[i];
      is_new = 1;
    }
  return is_new;
}

static struct dh_met *met_at(uint32_t place, const void *object) {
  struct dh_met *met = dh_met_at(place);
  if (met->object != (uintptr_t)object)
    *met = (struct dh_met){.object = (uintptr_t)object};
  return met;
}

/* What was said at the one that was there before is forgotten, which makes it new again. */
static void take_place(struct place *place, const void *object) {
  for (uint32_t i = 0; i < FOLLOWED; i++)
    place->known[i] = 0;
  place->object = (uintptr_t)object;
}

/* Whoever looks in between finds it vague already. */
static void become_vague(uint32_t at) {
  uint32_t generation = __atomic_load_n(&dh_generations[at], __ATOMIC_RELAXED);
  do
    __atomic_store_n(&places[at].vague_until, generation + 1, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(&dh_generations[at], &generation, generation + 1, 0,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

struct dh_news dh_news_said(struct dh_sampled_thread *thread, const void *object) {
  struct dh_news news = {.place = dh_news_place(object), .is_said = 1};
  struct place *place = &places[news.place];
  struct dh_met *met = met_at(news.place, object);
  met->said = thread->version + 1;
  news.is_locked = lock(place);
  news.is_new = news.is_vague = !news.is_locked || !is_followed(thread);
  if (!news.is_locked)
    return news;
  if (place->object != (uintptr_t)object) {
    news.is_vague |= place->object != 0;
    take_place(place, object);
  }
  if (!news.is_new)
    news.is_new = tell(known[thread->number], place->known);
  if (news.is_new && !news.is_vague) {
    uint32_t before = __atomic_fetch_add(&dh_generations[news.place], 1, __ATOMIC_ACQ_REL);
    if (met->heard == before + 1)
      met->heard++; /* what it says itself is nothing new to it */
  }
  return news;
}

struct dh_news dh_news_heard(struct dh_sampled_thread *thread, const void *object) {
  struct dh_news news = {.place = dh_news_place(object)};
  struct place *place = &places[news.place];
  struct dh_met *met = met_at(news.place, object);
  news.is_locked = lock(place);
  uint32_t vague_until = __atomic_load_n(&place->vague_until, __ATOMIC_SEQ_CST);
  int is_vague = vague_until != 0 && met->heard <= vague_until;
  if (news.is_locked) {
    met->heard = __atomic_load_n(&dh_generations[news.place], __ATOMIC_SEQ_CST) + 1;
    if (place->object == 0 && !is_vague)
      return news; /* nobody has said anything there */
  }
  if (is_vague || !news.is_locked || place->object != (uintptr_t)object || !is_followed(thread)) {
    news.is_new = 1;
    dh_news_own(thread);
    return news;
  }
  if ((news.is_new = tell(place->known, known[thread->number])))
    thread->version++;
  return news;
}

/* The record is written by now: who hears of it later comes later. */
void dh_news_end(struct dh_news news) {
  if (news.is_said && news.is_vague)
    become_vague(news.place);
  if (news.is_locked)
    __atomic_store_n(&places[news.place].lock, 0, __ATOMIC_RELEASE);
}

void dh_news_own(struct dh_sampled_thread *thread) {
  thread->version++;
  if (is_followed(thread))
    known[thread->number][thread->number]++;
}

void dh_news_forked(struct dh_sampled_thread *thread) {
  for (uint32_t i = 0; i < DH_NEWS_OBJECTS; i++)
    if (places[i].object != 0 || places[i].lock || places[i].vague_until)
      places[i].object = places[i].lock = places[i].vague_until = 0;
  for (uint32_t i = 0; i < FOLLOWED; i++)
    known[thread->number % FOLLOWED][i] = 0;
  for (uint32_t i = 0; i < DH_MET; i++)
    thread->met[i] = (struct dh_met){0};
  dh_news_own(thread);
}
