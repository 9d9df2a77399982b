/* Accesses of many shapes, for stepping through: it needs no library, and ends with status 0. */
struct node {
  struct node *next;
  long value;
  int counts[6];
  char name[24];
};

static struct node nodes[32];
static long table[64];
static volatile int total;
static __thread long own;

static long walk(struct node *node) {
  long sum = 0;
  for (; node; node = node->next) {
    sum += node->value;
    node->counts[sum & 3]++;
    node->counts[(sum & 3) + 2] += node->counts[0];
    own += sum;
  }
  return sum;
}

__attribute__((noinline)) static void copy(struct node *to, const struct node *from) {
  to->value = from->value;
  to->counts[0] = from->counts[5];
  to->counts[1] = from->counts[4];
  __builtin_memcpy(to->name, from->name, sizeof to->name);
  to->counts[2] += to->counts[1] - from->counts[0];
}

__attribute__((noinline)) static long choose(long which, long *at) {
  switch (which & 7) {
  case 0: at[0] += 1; return at[1];
  case 1: at[1] -= at[0];
  case 2: at[2] ^= at[1]; return 5;
  case 3: return at[3]++ + at[4]++;
  case 4: at[5] = which; at[6] = which + 1; at[7] = which + 2; return at[0];
  case 5: at += 4; at[0] = at[1]; at[-1] = at[2]; return at[3];
  case 6: return at[which & 15];
  default: __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST); return total;
  }
}

__attribute__((noinline)) static long depth(long n, long *into) {
  if (n == 0) return *into;
  into[n & 31] += n;
  return depth(n - 1, into) + into[n & 7];
}

__attribute__((noinline)) static void fill(char *at, long count) {
  __asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(1) : "memory");
}

static long work(void) {
  long sum = 0;
  for (int i = 0; i < 31; i++) {
    nodes[i].next = i < 30 ? &nodes[i + 1] : 0;
    nodes[i].value = i * 3;
  }
  for (int round = 0; round < 4; round++) {
    sum += walk(nodes);
    for (int i = 0; i < 16; i++) {
      sum += choose(i + round, table + i);
      copy(&nodes[i], &nodes[i + 8]);
      table[i] = table[i + 1] + table[i + 2] * table[(i * 7) & 63];
    }
    sum += depth(12, table);
    fill((char *)(table + 32), 40 + round);
  }
  return sum;
}

void _start(void) {
  static char thread[128];
  char *base = thread + 64;
  *(char **)base = base;
  /* arch_prctl(ARCH_SET_FS) */
  long done;
  __asm__ volatile("syscall" : "=a"(done) : "a"(158), "D"(0x1002), "S"(base) : "rcx", "r11", "memory");
  total = (int)work();
  __asm__ volatile("syscall" : : "a"(60), "D"(0) : "memory");
}
