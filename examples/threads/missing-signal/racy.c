/*
 * Nobody signals the condition, so the wait ends by its time limit, and what it returns is not looked at. That
 * took long enough for the answer to be there.
 *
 * Race: answer, lines 18 and 34.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int answer, answers, seen;

static void *reply(void *unused) {
  usleep(20000);
  answer = 42;
  pthread_mutex_lock(&lock);
  answers++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *ask(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 80000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&lock);
  pthread_cond_timedwait(&answered, &lock, &until);
  pthread_mutex_unlock(&lock);
  seen = answer;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, ask, NULL);
  pthread_create(&threads[1], NULL, reply, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("answer %d, %d answers\n", seen, answers);
  return 0;
}
