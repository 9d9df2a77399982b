/* A sorted list that the threads insert into, look up in and remove from, under one lock. */
#include <pthread.h>

#include "report.h"

#define THREADS 2
#define KEYS 256

struct node {
  struct node *next;
  int key;
  int hits;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int operations;

static struct node **find(int key) {
  struct node **at = &head;
  while (*at != NULL && (*at)->key < key)
    at = &(*at)->next;
  return at;
}

static void insert(int key) {
  struct node **at = find(key);
  if (*at != NULL && (*at)->key == key)
    return;
  struct node *node = malloc(sizeof *node);
  node->key = key;
  node->hits = 0;
  node->next = *at;
  *at = node;
}

static void drop(int key) {
  struct node **at = find(key);
  struct node *node = *at;
  if (node == NULL || node->key != key)
    return;
  *at = node->next;
  free(node);
}

static void look_up(int key) {
  struct node *node = *find(key);
  if (node != NULL && node->key == key)
    node->hits++;
}

/* Each thread has its own half of the keys, so that the list's end does not hang on who is faster. */
static void *work(void *part) {
  unsigned random = (long)part + 7;
  for (int i = 0; i < operations; i++) {
    random = random * 1103515245 + 12345;
    int key = (random >> 16) % (KEYS / THREADS) * THREADS + (long)part;
    int what = (random >> 8) % 10;
    pthread_mutex_lock(&lock);
    if (what < 2)
      insert(key);
    else if (what < 4)
      drop(key);
    else
      look_up(key);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int argc, char **argv) {
  operations = size_given(argc, argv);
  long long start = nanoseconds();
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  long long sum = 0;
  for (struct node *node = head; node != NULL; node = node->next)
    sum = sum * 31 % 1000003 + node->key + node->hits;
  report(sum, start);
  while (head != NULL)
    drop(head->key);
  return 0;
}
