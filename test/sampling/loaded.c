/* A library: see loads.c. */
#include "sample-now.h"

void loaded(void);
void loaded(void) { sample_now(); }
