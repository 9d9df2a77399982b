/* Sections that end by exceptions, in C++: what is printed is the same whoever comes first. */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static long total, caught, thrown, depth_sum;
static std::map<std::string, long> names;
static std::vector<long> numbers;

struct Guarded {
  long *at;
  explicit Guarded(long *a) : at(a) { ++*at; }
  ~Guarded() { --*at; }
};
static long inside;

__attribute__((noinline)) static void add(long n) {
  Guarded guarded(&inside);
  if (inside != 1)
    abort();
  total += n;
  if (n % 5 == 0) {
    thrown++;
    throw std::runtime_error("five");
  }
  total += 1;
}

__attribute__((noinline)) static void guarded_add(long n) {
  std::lock_guard<std::mutex> hold(lock);
  add(n);
  names["name " + std::to_string(n % 7)] += n;
  numbers.push_back(n);
  if (numbers.size() > 100)
    numbers.clear();
}

__attribute__((noinline)) static long recursive(long n) {
  depth_sum += n;
  if (n == 3)
    throw n;
  return n == 0 ? 0 : recursive(n - 1) + 1;
}

static void work(int rounds) {
  for (int n = 0; n < rounds; n++) {
    try {
      guarded_add(n);
    } catch (const std::exception &) {
      std::unique_lock<std::mutex> hold(lock);
      caught++;
      hold.unlock();
      hold.lock();
      caught += 2;
    }
    std::lock_guard<std::mutex> hold(lock);
    try {
      recursive(n % 6);
    } catch (long) {
      caught++;
    }
  }
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 500;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back(work, rounds);
  for (auto &thread : threads)
    thread.join();
  long sum = 0;
  for (auto &name : names)
    sum += name.second;
  std::printf("%ld %ld %ld %ld %ld %ld\n", total, caught, thrown, depth_sum, sum, inside);
}
