/* Multiplies two matrices, as often as the second argument says: each thread makes some rows of the product. */
#include <pthread.h>

#include "report.h"

#define THREADS 2

static int size, times;
static double *left, *right, *product;

static void multiply_rows(long part) {
  for (int row = (int)part; row < size; row += THREADS)
    for (int column = 0; column < size; column++) {
      double sum = 0;
      for (int k = 0; k < size; k++)
        sum += left[row * size + k] * right[k * size + column];
      product[row * size + column] = sum;
    }
}

static void *multiply(void *part) {
  for (int time = 0; time < times; time++)
    multiply_rows((long)part);
  return NULL;
}

int main(int argc, char **argv) {
  size = size_given(argc, argv);
  times = argc > 2 ? atoi(argv[2]) : 1;
  long long start = nanoseconds();
  left = malloc(sizeof(double) * size * size);
  right = malloc(sizeof(double) * size * size);
  product = malloc(sizeof(double) * size * size);
  for (int i = 0; i < size * size; i++) {
    left[i] = i % 7;
    right[i] = i % 5;
  }
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, multiply, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  double sum = 0;
  for (int i = 0; i < size * size; i++)
    sum += product[i];
  report((long long)sum, start);
  free(left);
  free(right);
  free(product);
  return 0;
}
