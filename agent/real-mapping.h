/* The functions that map memory and give it back: for the one file of an agent that has hooks of these. */
#ifndef DH_REAL_MAPPING_H
#define DH_REAL_MAPPING_H

#include <sys/mman.h>
#include <sys/types.h>

#include "real.h"

DH_REAL(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
        (at, size, protection, flags, fd, offset))
DH_REAL(void *, mmap64, (void *at, size_t size, int protection, int flags, int fd, off64_t offset),
        (at, size, protection, flags, fd, offset))
DH_REAL(int, munmap, (void *at, size_t size), (at, size))
DH_REAL(void *, mremap, (void *at, size_t size, size_t new_size, int flags, void *new_at),
        (at, size, new_size, flags, new_at))

#endif
