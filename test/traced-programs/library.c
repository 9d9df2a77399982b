int in_library;

void count_in_library(void) {
  for (int i = 0; i < 10; i++)
    in_library++;
}
