#include "sync.h"

#include "busy.h"
#include "log.h"

static void write_record(struct dh_sampled_thread *thread, uint64_t *at, enum dh_op op, const void *object,
                         uint64_t extra) {
  at[1] = dh_now();
  at[2] = (uintptr_t)object;
  at[3] = extra;
  __atomic_store_n(at, DH_SAMPLED_SYNC | (uint64_t)op << 8, __ATOMIC_RELEASE);
  thread->log_at = at + DH_SAMPLED_SYNC_WORDS;
  thread->syncs++;
}

/* Where the record is to be written, or NULL if there is none: then nothing is known of what happens now. `frame` is of
   the caller, who is busy until `end`. */
static uint64_t *begin(struct dh_sampled_thread *thread, uintptr_t frame) {
  if (dh_control == NULL || dh_log_stays_off(thread))
    return NULL;
  if (DH_UNLIKELY(thread->busy) && dh_is_busy(thread, frame + 1)) {
    thread->has_gap = 1;
    return NULL;
  }
  thread->busy = frame;
  DH_BARRIER();
  uint64_t *at = dh_log_is_on(thread) ? dh_log_room(thread, DH_SAMPLED_SYNC_WORDS) : NULL;
  if (at == NULL)
    thread->busy = 0;
  return at;
}

static void end(struct dh_sampled_thread *thread) {
  DH_BARRIER();
  thread->busy = 0;
}

void dh_sync(enum dh_op op, const void *object, uint64_t extra) {
  struct dh_sampled_thread *thread = &dh_thread;
  uint64_t *at = begin(thread, dh_here());
  if (at == NULL)
    return;
  write_record(thread, at, op, object, extra);
  dh_news_own(thread);
  end(thread);
}

/*
 * A block that was just told of may be handed over by this: others learn between which records it was allocated, so
 * there is one.
 */
static void log_news(struct dh_sampled_thread *thread, uint64_t *at, struct dh_news news, int had_blocks,
                     enum dh_op op, const void *object, uint64_t extra) {
  if (news.is_new || had_blocks)
    write_record(thread, at, op, object, extra);
  else
    thread->silent_syncs++;
  dh_news_end(news);
  end(thread);
}

void dh_release_slowly(enum dh_op op, const void *object) {
  struct dh_sampled_thread *thread = &dh_thread;
  int had_blocks = thread->blocks != 0;
  uint64_t *at = begin(thread, dh_here());
  if (at != NULL)
    log_news(thread, at, dh_news_said(thread, object), had_blocks, op, object, 0);
}

void dh_acquire_slowly(enum dh_op op, const void *object, uint64_t extra) {
  struct dh_sampled_thread *thread = &dh_thread;
  int had_blocks = thread->blocks != 0;
  uint64_t *at = begin(thread, dh_here());
  if (at != NULL)
    log_news(thread, at, dh_news_heard(thread, object), had_blocks, op, object, extra);
}
