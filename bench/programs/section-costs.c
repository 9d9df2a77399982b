/*
 * What a critical section costs that nobody else wants to enter: prints a name and nanoseconds for each number of
 * words that it changes, the least of many short turns. `header` has the same by deadheat/tolerate.h.
 */
#include <pthread.h>

#include "../../include/deadheat/tolerate.h"
#include "report.h"

#define TURNS 300
#define ENTRIES 5000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long a, b, c, d, e, f, g, h;

#define SECTION(name, copies, changes)                                                             \
  static void name(void) {                                                                         \
    for (int i = 0; i < ENTRIES; i++) {                                                            \
      pthread_mutex_lock(&mutex);                                                                  \
      {                                                                                            \
        copies;                                                                                    \
        changes;                                                                                   \
      }                                                                                            \
      pthread_mutex_unlock(&mutex);                                                                \
    }                                                                                              \
  }

#define NO_COPIES (void)0
#define CHANGES_1 a += i
#define CHANGES_2 CHANGES_1, b += a
#define CHANGES_4 CHANGES_2, c += i, d ^= b
#define CHANGES_8 CHANGES_4, e += c, f += i, g -= d, h++
SECTION(plain_1, NO_COPIES, CHANGES_1)
SECTION(plain_2, NO_COPIES, CHANGES_2)
SECTION(plain_4, NO_COPIES, CHANGES_4)
SECTION(plain_8, NO_COPIES, CHANGES_8)

#define COPIES_1 DEADHEAT_UPDATES(a)
#define COPIES_2 COPIES_1; DEADHEAT_UPDATES(b)
#define COPIES_4 COPIES_2; DEADHEAT_UPDATES(c); DEADHEAT_UPDATES(d)
#define COPIES_8                                                                                   \
  COPIES_4; DEADHEAT_UPDATES(e); DEADHEAT_UPDATES(f); DEADHEAT_UPDATES(g); DEADHEAT_UPDATES(h)
SECTION(header_1, COPIES_1, CHANGES_1)
SECTION(header_2, COPIES_2, CHANGES_2)
SECTION(header_4, COPIES_4, CHANGES_4)
SECTION(header_8, COPIES_8, CHANGES_8)

static void measure(const char *words, void (*work)(void)) {
  long long least = 1ll << 60;
  for (int turn = 0; turn < TURNS; turn++) {
    long long since = nanoseconds();
    work();
    long long taken = nanoseconds() - since;
    if (taken < least)
      least = taken;
  }
  printf("%s %.2f\n", words, (double)least / ENTRIES);
}

static void *nothing(void *argument) { return argument; }

int main(int argc, char **argv) {
  (void)argv;
  pthread_t thread; /* libc takes shorter ways as long as there is only one */
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  int by_header = argc > 1;
  measure("1", by_header ? header_1 : plain_1);
  measure("2", by_header ? header_2 : plain_2);
  measure("4", by_header ? header_4 : plain_4);
  measure("8", by_header ? header_8 : plain_8);
  return 0;
}
