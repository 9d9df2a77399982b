/* Something to look at for a debugger. */
#include <stdio.h>

struct node {
  int value;
  struct node *next;
};

static int deep(int level, struct node *node) {
  struct node here = {level * level, node};
  int sum = here.value;
  if (level > 0)
    sum += deep(level - 1, &here);
  return sum;
}

int main(void) {
  printf("%d\n", deep(5, NULL));
  return 6;
}
