/* What a program says of its own locks and messages (include/deadheat.h): logged as mutexes and semaphores. */
#include "../log.h"
#include "../real.h"
#include "../schedule.h"

void deadheat_lock_taken(const void *lock);
void deadheat_lock_let_go(const void *lock);
void deadheat_shared_lock_taken(const void *lock);
void deadheat_shared_lock_let_go(const void *lock);
void deadheat_message_sent(const void *channel);
void deadheat_message_received(const void *channel);

/* What it tells of has happened already, or is about to: the thread waits for its turn where it stands. */
static inline void told(enum dh_op op, const void *object, uint64_t extra, const void *caller) {
  if (!dh_on)
    return;
  uint32_t turn = dh_turn(op, object, 0, caller);
  dh_sync(op, object, extra, caller);
  dh_turn_done(turn, op, object, caller);
}

DH_HOOK void deadheat_lock_taken(const void *lock) {
  told(DH_OP_ACQUIRE, lock, DH_LOCK_MUTEX, DH_CALLER);
}

DH_HOOK void deadheat_lock_let_go(const void *lock) {
  told(DH_OP_RELEASE, lock, DH_LOCK_MUTEX, DH_CALLER);
}

DH_HOOK void deadheat_shared_lock_taken(const void *lock) {
  told(DH_OP_ACQUIRE_SHARED, lock, DH_LOCK_RWLOCK, DH_CALLER);
}

DH_HOOK void deadheat_shared_lock_let_go(const void *lock) {
  told(DH_OP_RELEASE_SHARED, lock, DH_LOCK_RWLOCK, DH_CALLER);
}

DH_HOOK void deadheat_message_sent(const void *channel) {
  told(DH_OP_POST, channel, 0, DH_CALLER);
}

DH_HOOK void deadheat_message_received(const void *channel) {
  told(DH_OP_WAIT_DONE, channel, 0, DH_CALLER);
}
