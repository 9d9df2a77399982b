/* Where private words and a thread's state have what: for C, which checks it, and for lookup.S. */
#ifndef DH_TOLERATE_LAYOUT_H
#define DH_TOLERATE_LAYOUT_H

#define DH_WORDS_BITS 12
#define DH_WORDS (1 << DH_WORDS_BITS)
/* Neighbouring arrays do not fall on the same lines of the cache. */
#define DH_WORDS_ARRAY (DH_WORDS * 8 + 192)
/* How far words of another region (as many as there are places) are moved from their places: by whole lines, so
   that what is aligned stays so. */
#define DH_WORDS_SPREAD 1496

/* In struct dh_words. */
#define DH_WORDS_VALUE DH_WORDS_ARRAY
#define DH_WORDS_VALID (2 * DH_WORDS_ARRAY)
#define DH_WORDS_WRITTEN (3 * DH_WORDS_ARRAY)
#define DH_WORDS_ORIGINAL (4 * DH_WORDS_ARRAY)
#define DH_WORDS_READ (5 * DH_WORDS_ARRAY)
#define DH_WORDS_JOINED (6 * DH_WORDS_ARRAY)
#define DH_WORDS_OWNER (7 * DH_WORDS_ARRAY)
#define DH_WORDS_TOUCHED (DH_WORDS_OWNER + DH_WORDS)
#define DH_WORDS_COUNT (DH_WORDS_TOUCHED + 4 * DH_WORDS)
#define DH_WORDS_WRITES (DH_WORDS_COUNT + 4)
#define DH_WORDS_ORDER (DH_WORDS_COUNT + 12)
/* In the lists of words that were touched and written: above the place, the level, and which bytes. */
#define DH_PLACE_BITS 16

/* In struct dh_words_mode. */
#define DH_MODE_WATCHED 16

/* In struct dh_section_thread; the first three and the last are known to clones as well (src/tolerate/rewrite/stubs.ts). */
#define DH_THREAD_WORDS 0
#define DH_THREAD_DEPTH 8
#define DH_THREAD_ASKED_FOR 24
#define DH_THREAD_BUSY 12
#define DH_THREAD_STACK_HIGH 104
#define DH_THREAD_OWN_LOW 112
#define DH_THREAD_OWN_HIGH 120
#define DH_THREAD_AROUND_LOW 128
#define DH_THREAD_AROUND_SIZE 136
#define DH_THREAD_PATIENCE 144

#endif
