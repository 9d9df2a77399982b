/*
 * C++: whoever needs the table first sets it up, with no lock at all. The log, which has one, comes between
 * the first thread's and the second one's.
 *
 * Race: table, lines 22 and 25.
 */
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex log_mutex;
static int log_lines;
static const char *table;

static void log_line() {
  std::lock_guard<std::mutex> guard(log_mutex);
  log_lines++;
}

static char look_up(int index) {
  const char *found = table;
  if (found == nullptr) {
    found = "abcdef";
    table = found;
  }
  return found[index];
}

static void use(int delay, char *result) {
  std::this_thread::sleep_for(std::chrono::milliseconds(delay));
  log_line();
  *result = look_up(delay % 7);
  log_line();
}

int main() {
  char results[2];
  std::thread one(use, 0, &results[0]);
  std::thread two(use, 30, &results[1]);
  one.join();
  two.join();
  std::printf("%c %c, %d lines\n", results[0], results[1], log_lines);
}
