/*
 * Threads that keep to their locks, and do inside of them all that may be hard to isolate. What is printed is
 * the same whoever comes first.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 };
static int rounds = 2000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;

/* ---- all sizes, across words, in vectors ---- */

static struct __attribute__((packed)) {
  uint8_t byte;
  uint32_t straddling;
  uint16_t pair;
  uint64_t wide;
  unsigned three : 3, seven : 7, rest : 22;
  double number;
  float small;
  long double extended;
} packed;
static double vector[64];
static unsigned char text[300];

static void sizes(long n) {
  pthread_mutex_lock(&lock);
  packed.byte++;
  packed.straddling += 3;
  packed.pair ^= (uint16_t)n;
  packed.wide += (uint64_t)n << 33;
  packed.three++;
  packed.seven += 5;
  packed.rest += 7;
  packed.number += 0.5;
  packed.small += 1;
  packed.extended += 0.25L;
  for (int i = 0; i < 64; i++)
    vector[i] += i;
  for (int i = 0; i < 300; i++)
    text[i] = (unsigned char)(text[i] + i);
  pthread_mutex_unlock(&lock);
}

/* ---- structures that are copied, by instructions and by libc ---- */

struct record {
  long id;
  char name[40];
  struct record *next;
  int values[11];
};
static struct record records[2], *list;
static long list_sum;

static void structures(long n) {
  pthread_mutex_lock(&lock);
  struct record copy = records[0];
  copy.id += n & 3;
  for (int i = 0; i < 11; i++)
    copy.values[i] += i;
  memcpy(copy.name, "a name of some length", 22);
  copy.name[n % 4] = (char)('a' + n % 26);
  memset(copy.name, 'x', 4);
  records[1] = copy;
  memmove(&records[0], &records[1], sizeof copy);
  if (strlen(records[0].name) != 21 || memcmp(&records[0], &records[1], sizeof copy) != 0)
    abort();
  pthread_mutex_unlock(&lock);
}

/* ---- memory that comes and goes inside ---- */

static void allocations(long n) {
  pthread_mutex_lock(&lock);
  struct record *made = calloc(1, sizeof *made);
  if (made->id != 0 || made->values[10] != 0)
    abort();
  made->id = n;
  made->next = list;
  list = made;
  if (n % 3 == 0 || n > rounds - 10)
    while (list != NULL) {
      struct record *gone = list;
      list_sum += gone->id;
      list = gone->next;
      memset(gone, 0xee, sizeof *gone);
      free(gone);
    }
  pthread_mutex_unlock(&lock);
}

/* ---- what is a thread's own, and what only looks like it ---- */

static __thread int own_count, own_other;
static long *shared_on_stack;

static __attribute__((noinline)) void through(int *at, long *sum) {
  *at += 1;
  *sum += own_count + *at;
}

static void own_memory(long n) {
  long sum = 0, field[9] = {0};
  int *own = &own_count, local = (int)n;
  pthread_mutex_lock(&lock);
  through(own, &sum);
  own_other += own_count;
  through(&local, &sum);
  for (int i = 0; i < 9; i++)
    field[(i + n) % 9] += i;
  *shared_on_stack += field[n % 9] + (own == &own_count) + (local == (int)n + 1);
  if (own_count + local + own_count + own_count != sum)
    abort();
  pthread_mutex_unlock(&lock);
}

/* ---- locks in each other, overlapped, taken twice, let go of elsewhere ---- */

static long inner_sum, outer_sum, handed;
static pthread_mutex_t twice = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static long twice_sum;

static __attribute__((noinline)) void nested_inside(long n) {
  pthread_mutex_lock(&other);
  inner_sum += n;
  handed = outer_sum + inner_sum;
  pthread_mutex_unlock(&other);
}

static __attribute__((noinline)) void let_go(pthread_mutex_t *which, long *guarded_by_it) {
  ++*guarded_by_it;
  pthread_mutex_unlock(which);
}

static __attribute__((noinline)) long again(int depth) {
  pthread_mutex_lock(&twice);
  twice_sum++;
  long deeper = depth > 0 ? again(depth - 1) : 0;
  twice_sum += deeper & 1;
  pthread_mutex_unlock(&twice);
  return deeper + 1;
}

static void locks(long n) {
  pthread_mutex_lock(&lock);
  outer_sum += n;
  nested_inside(n);
  outer_sum += inner_sum == 0;
  nested_inside(n + 1);
  if (handed != outer_sum + inner_sum)
    abort();
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  outer_sum++;
  pthread_mutex_lock(&other);
  inner_sum++;
  let_go(&lock, &outer_sum);
  inner_sum++;
  let_go(&other, &inner_sum);
  if (pthread_mutex_trylock(&lock) == 0) {
    outer_sum++, outer_sum--;
    pthread_mutex_unlock(&lock);
  }
  again((int)(n % 4));
}

/*
 * ---- handed over by way of an inner lock, while an outer one is held ----
 * Whoever takes a parcel needs nothing but the inner lock for it: it is nobody else's from then on.
 */

struct parcel {
  long content, check;
  struct parcel *next;
};
static struct parcel *parcels;
static pthread_mutex_t parcels_lock = PTHREAD_MUTEX_INITIALIZER;
static long parcels_made, parcels_sum;

static __attribute__((noinline)) void hand_over(struct parcel *parcel, long n) {
  pthread_mutex_lock(&lock);
  parcel->content = n;
  parcel->check = ~n;
  pthread_mutex_lock(&parcels_lock);
  parcel->next = parcels;
  parcels = parcel;
  pthread_mutex_unlock(&parcels_lock);
  for (int i = 0; i < 20; i++)
    parcels_made += i == 0;
  pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) struct parcel *taken_parcel(void) {
  pthread_mutex_lock(&parcels_lock);
  struct parcel *parcel = parcels;
  if (parcel != NULL)
    parcels = parcel->next;
  pthread_mutex_unlock(&parcels_lock);
  return parcel;
}

static void handovers(long n) {
  hand_over(malloc(sizeof(struct parcel)), n);
  struct parcel *parcel;
  while ((parcel = taken_parcel()) == NULL)
    ;
  if (parcel->check != ~parcel->content)
    abort();
  __atomic_add_fetch(&parcels_sum, parcel->content, __ATOMIC_RELAXED);
  free(parcel);
}

/* ---- readers, spinning, atomics ---- */

static long guarded[4], reads, spun;
static atomic_long counted;

static void others(long n) {
  pthread_rwlock_wrlock(&rwlock);
  for (int i = 0; i < 4; i++)
    guarded[i] += n;
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_rdlock(&rwlock);
  long first = guarded[0];
  if (first != guarded[3])
    abort();
  pthread_rwlock_unlock(&rwlock);
  pthread_spin_lock(&spin);
  spun += n % 7;
  atomic_fetch_add(&counted, 1);
  reads += atomic_load(&counted) > 0;
  pthread_spin_unlock(&spin);
}

/* ---- ways through code ---- */

static long paths[8];
static long (*const operations[])(long) = {labs, labs};

static __attribute__((noinline)) long twist(long n) {
  switch (n % 9) {
  case 0:
    return paths[0] += 2;
  case 1:
    return paths[1] += paths[0] & 1;
  case 2:
    return paths[2] ^= n;
  case 3:
    return paths[3] += n > 5 ? 1 : 2;
  case 4:
    return paths[4] += operations[n & 1](-n);
  case 5:
    return paths[5] += 11;
  default:
    return paths[6]++;
  }
}

static int by_size(const void *a, const void *b) {
  long one = *(const long *)a, two = *(const long *)b;
  return (one > two) - (one < two);
}

static void ways(long n) {
  pthread_mutex_lock(&lock);
  paths[7] ^= n;
  if (twist(n) < 0) {
    pthread_mutex_unlock(&lock);
    return;
  }
  long numbers[5] = {n, 3, n % 5, 9, 1};
  qsort(numbers, 5, sizeof *numbers, by_size);
  char line[64];
  snprintf(line, sizeof line, "%ld", paths[0] & 1);
  paths[6] += line[0] == '1' ? 1000000 : 0;
  pthread_mutex_unlock(&lock);
}

/* ---- a queue, with waiting ---- */

static long queue[8], head, tail, taken_sum;

static void put(long n) {
  pthread_mutex_lock(&lock);
  while (head - tail == 8)
    pthread_cond_wait(&emptied, &lock);
  queue[head++ % 8] = n;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
}

static void take(void) {
  pthread_mutex_lock(&lock);
  while (head == tail)
    pthread_cond_wait(&filled, &lock);
  taken_sum += queue[tail++ % 8];
  pthread_cond_signal(&emptied);
  pthread_mutex_unlock(&lock);
}

static void *work(void *argument) {
  long id = (long)argument;
  for (long n = 0; n < rounds; n++) {
    sizes(n);
    structures(n);
    allocations(n);
    own_memory(n);
    locks(n);
    handovers(n);
    others(n);
    ways(n);
    if (id % 2 == 0)
      put(n);
    else
      take();
  }
  return NULL;
}

int main(int count, char **arguments) {
  if (count > 1)
    rounds = atoi(arguments[1]);
  long on_stack = 0;
  shared_on_stack = &on_stack;
  pthread_spin_init(&spin, 0);
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  double vector_sum = 0;
  unsigned text_sum = 0;
  for (int i = 0; i < 64; i++)
    vector_sum += vector[i];
  for (int i = 0; i < 300; i++)
    text_sum += text[i];
  printf("sizes %u %u %u %llu %u %u %u %g %g %Lg %g %u\n", packed.byte, packed.straddling, packed.pair,
         (unsigned long long)packed.wide, packed.three, packed.seven, packed.rest, packed.number,
         packed.small, packed.extended, vector_sum, text_sum);
  printf("structures %ld %d\n", records[0].id, records[0].values[10]);
  printf("allocations %ld\n", list_sum);
  printf("own %ld\n", on_stack);
  printf("locks %ld %ld %ld\n", outer_sum, inner_sum, twice_sum);
  printf("handovers %ld %ld\n", parcels_made, parcels_sum);
  printf("others %ld %ld %ld %ld\n", guarded[2], spun, reads, (long)counted);
  printf("ways %ld %ld %ld %ld %ld %ld\n", paths[0], paths[2], paths[3], paths[4], paths[5], paths[6]);
  printf("queue %ld\n", taken_sum);
  return 0;
}
