/* Exceptions through clones: caught near and far, thrown again, on other threads, out of constructors. */
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Noted {
  explicit Noted(const char *name) : name(name) {}
  ~Noted() { std::printf("~%s %d\n", name, std::uncaught_exceptions()); }
  const char *name;
};

__attribute__((noinline)) static int deep(int level) {
  Noted noted(level % 2 ? "odd" : "even");
  if (level == 0)
    throw std::out_of_range("the bottom");
  return deep(level - 1) + 1;
}

struct Part {
  explicit Part(bool fails) {
    if (fails)
      throw std::string("a part fails");
  }
  ~Part() { std::puts("~Part"); }
};

struct Whole {
  Noted noted{"whole"};
  Part first{false};
  Part second{true};
};

static void again() {
  try {
    deep(2);
  } catch (const std::exception &error) {
    std::printf("again: %s\n", error.what());
    throw;
  }
}

static int by_switch(int which) {
  try {
    switch (which) {
    case 0: throw 1;
    case 1: throw 2.5;
    case 2: throw "text";
    case 3: std::vector<int>().at(7); break;
    case 4: std::stoi("no number"); break;
    default: return which;
    }
  } catch (int number) {
    return 100 + number;
  } catch (double number) {
    return 200 + static_cast<int>(2 * number);
  } catch (const char *text) {
    return 300 + text[0];
  } catch (...) {
    return 400 + which;
  }
  return -1;
}

static void nested() {
  try {
    try {
      deep(1);
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (const std::exception &outer) {
    try {
      std::rethrow_if_nested(outer);
    } catch (const std::exception &inner) {
      std::printf("nested: %s, %s\n", outer.what(), inner.what());
    }
  }
}

int main(int argc, char **) {
  for (int i = 0; i < 6; i++)
    std::printf("%d\n", by_switch(i));
  try {
    deep(5);
  } catch (const std::out_of_range &error) {
    std::printf("caught: %s\n", error.what());
  }
  try {
    Whole whole;
  } catch (const std::string &text) {
    std::printf("caught: %s\n", text.c_str());
  }
  try {
    again();
  } catch (const std::logic_error &error) {
    std::printf("caught: %s\n", error.what());
  }
  nested();
  std::exception_ptr handed;
  std::thread other([&] {
    try {
      deep(3);
    } catch (...) {
      handed = std::current_exception();
    }
  });
  other.join();
  try {
    std::rethrow_exception(handed);
  } catch (const std::exception &error) {
    std::printf("from a thread: %s\n", error.what());
  }
  auto future = std::async(std::launch::async, [] { return deep(4); });
  try {
    future.get();
  } catch (const std::exception &error) {
    std::printf("from a future: %s\n", error.what());
  }
  int caught = 0;
  for (int i = 0; i < 20000; i++) {
    try {
      throw i;
    } catch (int number) {
      caught += number == i;
    }
  }
  std::printf("%d times\n", caught);
  std::fflush(stdout);
  if (argc > 1)
    deep(1); /* nobody catches it */
  return 3;
}
