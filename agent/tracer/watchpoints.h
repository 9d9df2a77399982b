/* Watchpoints in all threads but one: see watchpoints.c. */
#ifndef DH_WATCHPOINTS_H
#define DH_WATCHPOINTS_H

#include "quick-look.h"

/* On the bytes that its holder is about to touch. 0 if they cannot be had: then there are none. */
int dh_arm(struct dh_look *look, const struct dh_window *window, const struct dh_place *place);
void dh_disarm(struct dh_look *look);

#endif
