/*
 * A section that works by memcpy and its kin, while others ignore the lock. Prints how often it saw something else
 * than what it had done itself. At last it waits for them in this way, which copies must not keep from it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[48], shown[48], word[8];
static int done;

static void *ignore_lock(void *id) {
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
    for (int i = 0; i < 48; i++)
      *(volatile char *)&name[i] = *(volatile char *)&shown[i] = (char)('0' + (long)id);
  *(volatile char *)&word[0] = 'x';
  return NULL;
}

static __attribute__((noinline)) int is_whole(char letter) {
  memset(name, letter, 40);
  name[40] = '\0';
  strcpy(shown, name);
  memmove(name + 1, name, 39);
  strcat(strncpy(shown, name, 20), "");
  shown[20] = '\0';
  for (int i = 0; i < 20; i++)
    if (strlen(name) != 40 || strchr(name, letter) != name || memcmp(name, shown, 20) != 0 ||
        strcmp(name, shown) <= 0 || strncmp(name, shown, 20) != 0)
      return 0;
  return 1;
}

int main(int count, char **arguments) {
  long entries = count > 1 ? atol(arguments[1]) : 20000, torn = 0;
  pthread_t threads[3];
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, ignore_lock, (void *)i);
  for (long n = 0; n < entries; n++) {
    pthread_mutex_lock(&lock);
    torn += !is_whole((char)('a' + n % 26));
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  while (strlen(word) == 0)
    __asm__ volatile("" ::: "memory");
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("torn %ld\n", torn);
  return 0;
}
