/* The same with threads that take the lock. */
#define TAKES_LOCK
#include "racy.c"
