/* Not C++, but loads a library that is, for itself alone, and has it make blocks. */
#include <dlfcn.h>

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
  int (*make_new)(void) = library ? (int (*)(void))dlsym(library, "make_new") : 0;
  return make_new ? make_new() : 1;
}
