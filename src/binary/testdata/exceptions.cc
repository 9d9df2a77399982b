// Exceptions of every kind, each of which prints a line. The unwind tables may come from a file: see
// use_tables_from_file.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" char __ehdr_start;
extern "C" void __register_frame(void *);

// TABLES: a file; TABLES_DISTANCE: where it belongs, in bytes from the image's start.
__attribute__((constructor)) static void use_tables_from_file() {
  const char *path = getenv("TABLES");
  if (!path) return;
  int file = open(path, O_RDONLY);
  struct stat about;
  if (file < 0 || fstat(file, &about)) _exit(99);
  char *place = &__ehdr_start + strtoll(getenv("TABLES_DISTANCE"), nullptr, 0);
  if (mmap(place, about.st_size, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0) != place)
    _exit(98);
  __register_frame(place);
}

struct Cleanup {
  const char *name;
  explicit Cleanup(const char *name) : name(name) {}
  ~Cleanup() { printf("  cleanup %s\n", name); }
};
struct Base { virtual ~Base() {} int value = 7; };
struct Derived : Base {};
struct Unrelated {};

__attribute__((noinline)) void fail(int kind) {
  switch (kind) {
    case 1: throw 1;
    case 2: throw std::string("text");
    case 3: throw Derived();
    case 4: throw std::runtime_error("runtime");
    case 5: throw Unrelated();
    case 6: throw 2.5;
  }
  printf("  nothing thrown\n");
}

__attribute__((noinline)) void nested(int kind) {
  Cleanup outer("outer");
  try {
    Cleanup inner("inner");
    try {
      fail(kind);
    } catch (int number) {
      printf("  inner int %d\n", number);
    } catch (const std::string &text) {
      printf("  inner string %s, again\n", text.c_str());
      throw;
    }
    printf("  behind inner\n");
  } catch (const Base &base) {
    printf("  outer base %d\n", base.value);
  } catch (const std::exception &error) {
    printf("  outer exception %s\n", error.what());
    throw std::logic_error("instead");
  }
}

__attribute__((noinline)) void specified(int kind) throw(int, std::string) {
  Cleanup cleanup("specified");
  fail(kind);
}
__attribute__((noinline)) void specified_otherwise(int kind) throw(double, std::bad_exception) { fail(kind); }

static void to_bad_exception() { throw; }

__attribute__((noinline)) int many_arguments(int a, int b, int c, int d, int e, int f, int g, std::string h) {
  char *room = static_cast<char *>(alloca(a * 16 + 16));
  memset(room, b, a * 16);
  Cleanup cleanup("many");
  fail(g);
  return a + b + c + d + e + f + g + room[a] + static_cast<int>(h.size());
}

// Its landing pads are in the part for what rarely happens, which stands apart.
__attribute__((noinline)) int with_cold_part(int kind) {
  std::string text("cold");
  if (__builtin_expect(kind > 2, 0)) {
    Cleanup cleanup("cold");
    fail(kind);
  }
  return static_cast<int>(text.size());
}

template <class Action> void attempt(const char *name, int kind, Action action) {
  printf("%s %d\n", name, kind);
  try {
    action(kind);
    printf("  returned\n");
  } catch (int number) {
    printf("  int %d\n", number);
  } catch (const std::string &text) {
    printf("  string %s\n", text.c_str());
  } catch (const std::exception &error) {
    printf("  exception %s\n", error.what());
  } catch (...) {
    printf("  anything\n");
  }
}

int main() {
  std::set_unexpected(to_bad_exception);
  for (int kind = 0; kind <= 6; kind++) {
    attempt("nested", kind, nested);
    attempt("specified_otherwise", kind, specified_otherwise);
    if (kind <= 2) attempt("specified", kind, specified);
    attempt("many", kind, [](int k) { many_arguments(1, 2, 3, 4, 5, 6, k, "seven"); });
    attempt("cold", kind, with_cold_part);
  }
  printf("done\n");
  return 5;
}
