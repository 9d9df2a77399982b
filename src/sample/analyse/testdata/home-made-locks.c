/* Locks that are made of atomic instructions, around `guarded` and beside `open`: for home-made-lock.test.ts. */
static int word, references;
volatile long guarded, open_to_all;

static __attribute__((noinline)) void take(int *lock) {
  int free = 0;
  while (!__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    free = 0;
}
static __attribute__((noinline)) void let_go(int *lock) { __atomic_exchange_n(lock, 0, __ATOMIC_RELEASE); }
static __attribute__((noinline)) void let_go_by_store(int *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

void by_calls(int *lock) {
  take(lock);
  guarded++;
  let_go(lock);
  open_to_all++;
}

void by_calls_and_a_store(int *lock) {
  for (int i = 0; i < 9; i++) {
    open_to_all++;
    take(lock);
    for (int k = 0; k < 20; k++)
      guarded += k;
    let_go_by_store(lock);
  }
}

void by_exchange(void) {
  while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
    ;
  guarded++;
  __atomic_store_n(&word, 0, __ATOMIC_RELEASE);
  open_to_all++;
}

struct locked {
  long value;
  int lock;
};

void in_a_loop(struct locked *it) {
  for (int i = 0; i < 9; i++) {
    while (__atomic_exchange_n(&it->lock, 1, __ATOMIC_ACQUIRE))
      ;
    guarded++;
    __atomic_exchange_n(&it->lock, 0, __ATOMIC_RELEASE);
    open_to_all++;
  }
}

void by_references_only(void) {
  __atomic_fetch_add(&references, 1, __ATOMIC_RELAXED);
  open_to_all++;
  if (__atomic_fetch_sub(&references, 1, __ATOMIC_ACQ_REL) == 1)
    open_to_all++;
}

void by_nothing(int *lock) {
  open_to_all++;
  *lock = 0;
}
