/* A part of inlined-calls.c that is in another file, so that frames are of two. */
static inline int halved(int number) {
  if (number & 1)
    return number * 3 + 1;
  return number / 2;
}
