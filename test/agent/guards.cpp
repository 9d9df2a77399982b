// Static variables of functions, one of which cannot be made at first; exceptions through all of it.
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int attempts = 0;
struct Reluctant {
  Reluctant() {
    if (attempts++ == 0) throw std::runtime_error("not yet");
  }
};

static std::string &greeting() {
  static std::string text = "hello " + std::to_string(42);
  return text;
}

static bool reluctant() {
  try {
    static Reluctant one;
    return true;
  } catch (const std::runtime_error &error) {
    std::puts(error.what());
    return false;
  }
}

static std::once_flag once;

int main() {
  if (reluctant() || !reluctant() || !reluctant()) return 1;
  std::mutex mutex;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&, i] {
      std::call_once(once, [] { std::puts("once"); });
      try {
        std::lock_guard<std::mutex> guard(mutex);
        sum += i * static_cast<int>(greeting().size());
        throw i;
      } catch (int thrown) {
        std::lock_guard<std::mutex> guard(mutex);
        sum += thrown;
      }
    });
  for (auto &thread : threads) thread.join();
  std::printf("%d %s\n", sum, greeting().c_str());
  return 6;
}
