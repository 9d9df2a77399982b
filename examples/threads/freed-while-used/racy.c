/*
 * The owner clears the object and frees it; it believes that the user is done. Nothing tells it so, but the
 * log that both write to, in the order of this run.
 *
 * Race: value, lines 27 and 39.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct object {
  struct object *next;
  int value;
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int log_lines, used;

static void log_line(void) {
  pthread_mutex_lock(&log_lock);
  log_lines++;
  pthread_mutex_unlock(&log_lock);
}

static void *use(void *object) {
  used = ((struct object *)object)->value;
  log_line();
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct object *object = malloc(sizeof *object);
  object->value = 8;
  pthread_create(&thread, NULL, use, object);
  usleep(30000);
  log_line();
  object->value = -1;
  __asm__ volatile("" ::: "memory"); /* what is freed may be left as it is, says the compiler */
  free(object);
  pthread_join(thread, NULL);
  printf("used %d, %d lines\n", used, log_lines);
  return 0;
}
