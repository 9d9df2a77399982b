/* The channel, for the agent's start and for forks; others only append (process.h). */
#ifndef DH_CHANNEL_H
#define DH_CHANNEL_H

#include "deadheat.h"
#include "process.h"

/* NULL if there is no channel, or one of another protocol. */
struct dh_channel *dh_channel_open(const char *path);
uint32_t dh_channel_new_process(void);

#endif
