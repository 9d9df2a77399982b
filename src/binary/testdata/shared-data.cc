// Names within names, atomics in templates, bases without members.
#include <atomic>
#include <cstdio>
#include <string>

namespace jobs {
struct Nothing {};
struct Link {
  Link *next;
};

template <class T> struct Queue : Nothing, Link {
  std::atomic<T> head{0};
  int size = 0;
  std::atomic_flag busy;
  static std::atomic<long> total;
  static inline std::atomic<int> made{0};
  void push(T value) {
    head.fetch_add(value);
    size++;
    total += value;
    made++;
  }
};
template <class T> std::atomic<long> Queue<T>::total;

Queue<int> queue;
std::atomic<int> table[4];

namespace {
int hidden;
void add(int value) {
  hidden += value;
  queue.push(value);
}
}  // namespace

class Worker {
 public:
  explicit Worker(int rounds) : rounds(rounds) {}
  int run();
  static int count;

 private:
  int rounds;
};

int Worker::count;

int Worker::run() {
  std::string text;
  for (int i = 0; i < rounds; i++) {
    add(i);
    text += std::to_string(i);
    count++;
  }
  auto more = [&](int value) { rounds += value; };
  more(3);
  std::puts(text.c_str());
  return rounds;
}
}  // namespace jobs

int main(int argc, char **) {
  jobs::Worker worker(argc * 10);
  try {
    if (worker.run() > 1000) throw std::string("too many");
  } catch (const std::string &reason) {
    std::puts(reason.c_str());
  }
  return jobs::table[argc & 3];
}
