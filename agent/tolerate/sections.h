/* What a thread knows of the critical sections that it is in. */
#ifndef DH_SECTIONS_H
#define DH_SECTIONS_H

#include <stdint.h>

#include "private-words.h"

/* Of so many locks it is known which they are. */
#define DH_LOCKS 8

struct dh_section_thread {
  struct dh_words *words; /* an empty one of all threads, until it has its own */
  uint32_t depth;         /* locks held of which the clones know; 0: nothing is isolated */
  volatile uint32_t busy; /* the words are being changed: for signal handlers */
  uint32_t section;       /* the number of the outermost one */
  /* Copies are good until a thread has let others go on, and then heard from them. */
  uint32_t has_released;
  uint64_t asked_for;     /* the lock that is about to be taken: clones note it */
  uint64_t locks[DH_LOCKS]; /* those that are held, from the first one on; 0: not known which */
  /* Its stack from the lowest page, and what it has for itself at fs: of those, nothing is copied. */
  uint64_t stack_low, stack_high, own_low, own_high;
  uint64_t around_low, around_size; /* both of these, with all that lies between them */
  /* How many turns loops may take inside before it is asked whether they wait for somebody, and since when they have. */
  uint32_t patience;
  uint64_t turning_since;
  uint64_t entered_at; /* the stack pointer where the outermost one began */
  uint32_t is_told_outside; /* that it was in a section that could not be isolated */
};
DH_AT(dh_section_thread, words, DH_THREAD_WORDS);
DH_AT(dh_section_thread, depth, DH_THREAD_DEPTH);
DH_AT(dh_section_thread, asked_for, DH_THREAD_ASKED_FOR);
DH_AT(dh_section_thread, busy, DH_THREAD_BUSY);
DH_AT(dh_section_thread, stack_high, DH_THREAD_STACK_HIGH);
DH_AT(dh_section_thread, own_low, DH_THREAD_OWN_LOW);
DH_AT(dh_section_thread, own_high, DH_THREAD_OWN_HIGH);
DH_AT(dh_section_thread, around_low, DH_THREAD_AROUND_LOW);
DH_AT(dh_section_thread, around_size, DH_THREAD_AROUND_SIZE);
DH_AT(dh_section_thread, patience, DH_THREAD_PATIENCE);

extern __thread struct dh_section_thread dh_sections
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Called by clones, by way of stubs that keep all registers. */
void dh_section_enter(uint64_t section, uint64_t stack); /* a lock was taken, where nothing was isolated */
void dh_section_show(void); /* another lock is about to be taken, which may lie among what was copied */
void dh_section_lock(void);                              /* another one was taken inside */
void dh_section_unlock(uint64_t nothing, uint64_t stack, uint64_t lock); /* it is about to be let go of */
void dh_section_settle(void); /* code that knows nothing of copies is about to run */
void dh_section_tire(void);   /* a loop has taken many turns */
void dh_section_leave(void);  /* as settling, and it is not said where the section ends */
uint64_t dh_section_find(uint64_t address, uint64_t what, uint64_t stack);

/* Where this thread's own memory is: stack.c. 0 if that is not known. */
int dh_stack_find(struct dh_section_thread *thread, uint64_t stack);
/* What all of them say when they publish: tolerate.c. */
extern struct dh_words_mode dh_mode __attribute__((visibility("hidden")));

#endif
