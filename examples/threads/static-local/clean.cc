/*
 * C++: a variable that is static in a function is initialised by whoever comes first, and others wait
 * meanwhile. The compiler sees to that, with an atomic look at a guard.
 *
 * No race.
 */
#include <chrono>
#include <cstdio>
#include <thread>

struct Table {
  int squares[4];
  Table() {
    for (int i = 0; i < 4; i++)
      squares[i] = i * i;
  }
};

static int look_up(int number) {
  static Table table;
  return table.squares[number];
}

static void use(int number, int *result) {
  std::this_thread::sleep_for(std::chrono::milliseconds(10 * number));
  *result = look_up(number);
}

int main() {
  int results[3];
  std::thread one(use, 1, &results[0]);
  std::thread two(use, 2, &results[1]);
  std::thread three(use, 3, &results[2]);
  one.join();
  two.join();
  three.join();
  std::printf("%d %d %d\n", results[0], results[1], results[2]);
}
