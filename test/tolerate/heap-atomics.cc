/*
 * Atomic variables on the heap, which plain instructions read and write: one who puts things there under a lock, and
 * one who takes them away without it. Both are right to do so.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

struct Box {
  std::atomic<long> slot{0}, taken{0};
  long put = 0, seen = 0;
};

static std::mutex lock;

static __attribute__((noinline)) bool put_into(Box *box, long thing) {
  std::lock_guard<std::mutex> guard(lock);
  long before = box->taken.load(std::memory_order_acquire);
  bool is_free = box->slot.load(std::memory_order_acquire) == 0;
  if (is_free) {
    box->put++;
    box->slot.store(thing, std::memory_order_release);
  }
  /* Long enough for the other one to come. */
  for (volatile int i = 0; i < 20000; i++)
    ;
  box->seen += box->taken.load(std::memory_order_acquire) >= before;
  return is_free;
}

int main(int count, char **arguments) {
  long rounds = count > 1 ? atol(arguments[1]) : 300, sum = 0;
  Box *box = new Box;
  std::thread taker([&] {
    for (long n = 0; n < rounds; n++) {
      long thing;
      while ((thing = box->slot.load(std::memory_order_acquire)) == 0)
        ;
      sum += thing;
      box->taken.store(n + 1, std::memory_order_release);
      box->slot.store(0, std::memory_order_release);
    }
  });
  for (long n = 1; n <= rounds;)
    n += put_into(box, n);
  taker.join();
  printf("put %ld, sum %ld\n", box->put, sum);
  delete box;
  return 0;
}
