/* Variables of all kinds, some of them atomic. */
#include <stdatomic.h>

struct slot {
  char name[8];
  atomic_long owner;
};

struct queue {
  int length;
  _Atomic int head;
  struct slot slots[3];
  unsigned isReady : 1, isDone : 3;
  union {
    int number;
    float fraction;
  };
  union {
    int left;
    int right;
  } side;
};

struct queue queue;
struct queue many[2];
atomic_int counter;
atomic_flag busy = ATOMIC_FLAG_INIT;
volatile atomic_uint noted;
_Atomic(struct queue *) current;
int grid[3][4];
__thread int own;
static int plain = 3;

static int next_id(void) {
  static int last;
  return ++last;
}

int main(int argc, char **argv) {
  (void)argv;
  queue.length = next_id();
  queue.side.left = queue.number;
  own = many[argc].length + grid[1][argc] + plain;
  atomic_store(&current, &queue);
  return atomic_fetch_add(&counter, 1) + atomic_flag_test_and_set(&busy) + noted + own;
}
