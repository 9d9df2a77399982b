/* Two threads call a library: one that the program is linked with, or one that it loads by itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#ifdef LATER
static void (*count_in_library)(void);
#else
void count_in_library(void);
#endif

static void *run(void *unused) {
  count_in_library();
  return unused;
}

int main(int argc, char **argv) {
#ifdef LATER
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL)
    return 1;
  count_in_library = (void (*)(void))dlsym(library, "count_in_library");
#else
  (void)argc, (void)argv;
#endif
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
