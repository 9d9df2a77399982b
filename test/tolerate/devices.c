/*
 * Reads from a ring that the kernel writes to, inside of a section: what was read before is no longer what is there, and
 * nobody has done anything wrong.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sections;

static volatile struct perf_event_mmap_page *ring_of(int fd) {
  return mmap(NULL, 2 * (size_t)getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
}

static void *read_twice(void *ring) {
  volatile struct perf_event_mmap_page *page = ring;
  pthread_mutex_lock(&lock);
  sections++;
  unsigned long before = page->data_head;
  for (volatile long i = 0; i < 30000000; i++)
    ;
  unsigned long after = page->data_head;
  pthread_mutex_unlock(&lock);
  return (void *)(after - before);
}

int main(void) {
  struct perf_event_attr event;
  memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.sample_period = 100000;
  event.sample_type = PERF_SAMPLE_IP;
  event.exclude_kernel = 1;
  int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
  if (fd < 0)
    return perror("perf_event_open"), 2;
  /* Others have been there before, and are gone. */
  for (int i = 0; i < 100; i++)
    munmap((void *)ring_of(fd), 2 * (size_t)getpagesize());
  volatile struct perf_event_mmap_page *ring = ring_of(fd);
  if (ring == MAP_FAILED)
    return perror("mmap"), 2;
  unsigned long more = (unsigned long)read_twice((void *)ring);
  printf("%s after %ld section\n", more > 0 ? "more" : "nothing new", sections);
  return 0;
}
