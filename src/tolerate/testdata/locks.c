/* A critical section of each kind, one to a function. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct account {
  pthread_mutex_t lock;
  long value;
};

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
long total, count;
char buffer[64];
int ready;
volatile int readers[2];
jmp_buf outside;

#define OWN __attribute__((noinline)) void

OWN lock_account(struct account *one) { pthread_mutex_lock(&one->lock); }
OWN unlock_account(struct account *one) { pthread_mutex_unlock(&one->lock); }
__attribute__((noinline)) int try_account(struct account *one) {
  return pthread_mutex_trylock(&one->lock);
}
__attribute__((noinline)) long add(long amount) {
  total += amount;
  return total * 2;
}

OWN simple(void) {
  pthread_mutex_lock(&a);
  total++;
  pthread_mutex_unlock(&a);
}
OWN nested(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  count++;
  pthread_mutex_unlock(&b);
  total++;
  pthread_mutex_unlock(&a);
}
OWN overlapped(void) {
  pthread_mutex_lock(&a);
  total++;
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&a);
  count++;
  pthread_mutex_unlock(&b);
}
OWN calls_simple(void) {
  pthread_mutex_lock(&b);
  simple();
  count++;
  pthread_mutex_unlock(&b);
}
OWN in_loop(int n) {
  pthread_mutex_lock(&a);
  for (int i = 0; i < n; i++)
    buffer[i % 64] += i;
  pthread_mutex_unlock(&a);
}
OWN waits(void) {
  pthread_mutex_lock(&a);
  if (!ready)
    pthread_cond_wait(&condition, &a);
  pthread_mutex_unlock(&a);
}
OWN library(void) {
  pthread_mutex_lock(&a);
  printf("%ld\n", add(3));
  pthread_mutex_unlock(&a);
}
OWN wrapped(struct account *one) {
  lock_account(one);
  one->value++;
  unlock_account(one);
}
OWN tried(struct account *one) {
  if (try_account(one) == 0) {
    one->value++;
    unlock_account(one);
  } else
    puts("busy");
}
OWN checked(void) {
  if (pthread_mutex_lock(&a) != 0)
    return;
  total--;
  pthread_mutex_unlock(&a);
}
OWN jumps(int n) {
  pthread_mutex_lock(&a);
  if (n)
    longjmp(outside, 1);
  pthread_mutex_unlock(&a);
}
OWN by_pointer(void (*function)(void)) {
  pthread_mutex_lock(&a);
  function();
  pthread_mutex_unlock(&a);
}
OWN writes_table(void) {
  pthread_rwlock_wrlock(&table_lock);
  count = 0;
  pthread_rwlock_unlock(&table_lock);
}
OWN reads_table(void) {
  pthread_rwlock_rdlock(&table_lock);
  printf("%ld\n", count);
  pthread_rwlock_unlock(&table_lock);
}
OWN spins(void) {
  pthread_spin_lock(&spin);
  count = 1;
  pthread_spin_unlock(&spin);
}
OWN atomic(void) {
  pthread_mutex_lock(&a);
  __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&a);
}
OWN waits_for_others(void) {
  pthread_mutex_lock(&a);
  while (readers[0] != 0 || readers[1] != 0)
    __builtin_ia32_pause();
  pthread_mutex_unlock(&a);
}
OWN keeps_it(int n) {
  pthread_mutex_lock(&a);
  total = n;
  if (n)
    return;
  pthread_mutex_unlock(&a);
}

int main(int n, char **unused) {
  struct account one = {PTHREAD_MUTEX_INITIALIZER, 0};
  (void)unused;
  simple(), nested(), overlapped(), calls_simple(), in_loop(n), waits(), library(), wrapped(&one);
  tried(&one), checked(), jumps(n), by_pointer(simple), writes_table(), reads_table(), spins();
  atomic(), waits_for_others(), keeps_it(n);
  return 0;
}
