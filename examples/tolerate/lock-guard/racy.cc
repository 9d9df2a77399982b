/*
 * An account in C++: std::lock_guard lets go of the lock however the section ends, by an exception, too.
 * Race: `balance`, `booked`.
 */
#include <mutex>
#include <stdexcept>

#include "../intruders.h"

static std::mutex account_lock;
static volatile long balance, booked;

struct Overdrawn : std::runtime_error {
  Overdrawn() : std::runtime_error("overdrawn") {}
};

/* Whether the account was as it should be. */
__attribute__((noinline)) static bool book(long amount) {
  std::lock_guard<std::mutex> guard(account_lock);
  balance = 100;
  booked = 0;
  linger();
  if (balance + amount < 0)
    throw Overdrawn();
  balance = balance + amount;
  booked = booked + amount;
  return balance == 100 + booked;
}

static int enter(void) {
  static long entries;
  try {
    return book(entries++ % 3 == 0 ? -500 : 20) ? 0 : 1;
  } catch (const Overdrawn &) {
    return entries % 3 == 1 ? 0 : 1;
  }
}

static void intrude(int id) {
#ifdef TAKES_LOCK
  std::lock_guard<std::mutex> guard(account_lock);
#endif
  balance = id;
  booked = -1000 * id;
}
