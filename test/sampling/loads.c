/* Loads the library that its argument names, has it used by a sample, and unloads it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
  if (library == NULL)
    return 1;
  void (*function)(void) = (void (*)(void))dlsym(library, "loaded");
  printf("%p\n", (void *)function);
  function();
  dlclose(library);
  return 7;
}
