/* How the one that steps sees whether a lock is held: by the lock's first word, or as glibc's rwlocks have it. */
#ifndef STEPPED_LOCKS_H
#define STEPPED_LOCKS_H

enum how_held { HELD_IF_NOT_ZERO, HELD_IF_CHANGED, HELD_AS_RWLOCK };

#endif
