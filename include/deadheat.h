/*
 * For programs with locks of their own, made of atomic instructions and futexes, or with memory of their own:
 * deadheat cannot see that, but can be told.
 *
 *   void my_lock(struct my_lock *l)   { spin until it is ours …  deadheat_lock(l); }
 *   void my_unlock(struct my_lock *l) { deadheat_unlock(l);  … let go of it }
 *
 * Nothing has to be linked. Without deadheat these cost the test of a pointer and do nothing. The address only
 * tells one lock from another.
 */
#ifndef DEADHEAT_ANNOTATIONS_H
#define DEADHEAT_ANNOTATIONS_H

/*
 * deadheat's agent has these functions, if it is there. Where they are is asked of the dynamic linker, by way of
 * its table: a program with fixed addresses would otherwise be told at link time that there are none.
 */
#if defined(__x86_64__) && defined(__GNUC__)
#define DEADHEAT_TELL(function, address)                                                           \
  do {                                                                                             \
    void (*deadheat_tell)(const void *);                                                           \
    __asm__(".weak " #function "\n\tmovq " #function "@GOTPCREL(%%rip), %0" : "=r"(deadheat_tell)); \
    if (deadheat_tell)                                                                             \
      deadheat_tell(address);                                                                      \
  } while (0)
#define DEADHEAT_TELL_SIZE(function, address, size)                                                \
  do {                                                                                             \
    void (*deadheat_tell)(const void *, unsigned long);                                            \
    __asm__(".weak " #function "\n\tmovq " #function "@GOTPCREL(%%rip), %0" : "=r"(deadheat_tell)); \
    if (deadheat_tell)                                                                             \
      deadheat_tell(address, size);                                                                \
  } while (0)
#else
#define DEADHEAT_TELL(function, address) ((void)(address))
#define DEADHEAT_TELL_SIZE(function, address, size) ((void)(address), (void)(size))
#endif

/* Right after a lock was taken, and right before it is let go: only one thread at a time has it. */
#define deadheat_lock(lock) DEADHEAT_TELL(deadheat_lock_taken, lock)
#define deadheat_unlock(lock) DEADHEAT_TELL(deadheat_lock_let_go, lock)

/* The same for readers, who may have it together. */
#define deadheat_lock_shared(lock) DEADHEAT_TELL(deadheat_shared_lock_taken, lock)
#define deadheat_unlock_shared(lock) DEADHEAT_TELL(deadheat_shared_lock_let_go, lock)

/* Right before something is handed over (a pipe, a flag), and right after it was received: what the sender did
   until then is known to the receiver. One message is received once. */
#define deadheat_send(channel) DEADHEAT_TELL(deadheat_message_sent, channel)
#define deadheat_receive(channel) DEADHEAT_TELL(deadheat_message_received, channel)

/* For programs that hand out pieces of memory by themselves: right after a piece was taken, and right before it is
   given back. What one user of it did is not mistaken for what the next one does. */
#define deadheat_alloc(address, size) DEADHEAT_TELL_SIZE(deadheat_block_allocated, address, size)
#define deadheat_free(address) DEADHEAT_TELL(deadheat_block_freed, address)

#endif
