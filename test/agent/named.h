/* For programs whose logs are looked at: says which object has which address. */
#include <stdio.h>
#include <stdlib.h>

#define NAMED(object) (printf("%s %p\n", #object, (void *)&object), fflush(stdout))
/* Ends the program if a call did not do what the test is about. */
#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("line %d: not so: %s\n", __LINE__, #condition);                                       \
      fflush(stdout);                                                                              \
      _Exit(99);                                                                                   \
    }                                                                                              \
  } while (0)
