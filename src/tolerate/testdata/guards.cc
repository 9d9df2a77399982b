/* Critical sections of C++, which are left by exceptions, too. */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

std::mutex lock;
std::shared_mutex table_lock;
std::condition_variable condition;
std::vector<int> items;
long total;

extern "C" __attribute__((noinline)) void guarded(int n) {
  std::lock_guard<std::mutex> guard(lock);
  if (n < 0)
    throw std::runtime_error("negative");
  total += n;
  items.push_back(n);
}
extern "C" __attribute__((noinline)) int waiting() {
  std::unique_lock<std::mutex> held(lock);
  condition.wait(held, [] { return !items.empty(); });
  int item = items.back();
  items.pop_back();
  return item;
}
extern "C" __attribute__((noinline)) void exclusive() {
  std::unique_lock<std::shared_mutex> held(table_lock);
  total = 0;
}

int main() {
  guarded(4);
  try {
    guarded(-1);
  } catch (std::exception &error) {
    std::puts(error.what());
  }
  exclusive();
  std::printf("%d\n", waiting());
}
