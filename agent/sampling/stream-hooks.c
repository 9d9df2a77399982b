/*
 * Streams of stdio are locks, too: between flockfile and funlockfile a program may use putc_unlocked and its like,
 * which are compiled into its own code.
 *
 *   flockfile(log) · putc_unlocked('a', log) · putc_unlocked('b', log) · funlockfile(log)
 *
 * What functions of stdio lock by themselves is not seen: they are libc's own code, of which nothing is told.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "../real.h"
#include "locks.h"

DH_REAL(void, flockfile, (FILE * stream), (stream))
DH_REAL(int, ftrylockfile, (FILE * stream), (stream))
DH_REAL(void, funlockfile, (FILE * stream), (stream))

DH_HOOK void flockfile(FILE *stream) {
  dh_lock_begin();
  real_flockfile(stream);
  dh_lock_add(stream, 0);
  dh_lock_end();
}

DH_HOOK int ftrylockfile(FILE *stream) {
  dh_lock_begin();
  int result = real_ftrylockfile(stream);
  if (result == 0)
    dh_lock_add(stream, 0);
  dh_lock_end();
  return result;
}

DH_HOOK void funlockfile(FILE *stream) {
  dh_lock_begin();
  dh_lock_remove(stream);
  real_funlockfile(stream);
  dh_lock_end();
}
