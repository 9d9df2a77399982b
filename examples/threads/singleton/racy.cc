/*
 * C++: the compiler sees to it that the singleton is made once, before anybody uses it. Its counter is another
 * matter. The log, which has a lock, comes between the two uses.
 *
 * Race: uses, line 33 with itself.
 */
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

struct Statistics {
  int uses;
  Statistics() : uses(10) {}
};

static std::mutex log_mutex;
static int log_lines;

static void log_line() {
  std::lock_guard<std::mutex> guard(log_mutex);
  log_lines++;
}

static Statistics &statistics() {
  static Statistics only;
  return only;
}

static void use(int delay) {
  std::this_thread::sleep_for(std::chrono::milliseconds(delay));
  log_line();
  statistics().uses++;
  log_line();
}

int main() {
  std::thread one(use, 0);
  std::thread two(use, 30);
  one.join();
  two.join();
  std::printf("%d uses, %d lines\n", statistics().uses, log_lines);
}
