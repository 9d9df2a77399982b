/*
 * The folder of the logs. It is opened anew each time: a descriptor that stays open would change which numbers
 * the program gets for its own. Only root keeps one, far up, since it may become somebody else, who cannot get
 * there by the path: a server that is started as root, and changes its user.
 */
#ifndef DH_SAMPLING_FOLDER_H
#define DH_SAMPLING_FOLDER_H

#include <stdint.h>

/* Once dh_process.folder is there. */
void dh_folder_prepare(void);
/* The log of a thread of this process: a descriptor, or a negative errno value. */
long dh_folder_open(uint32_t thread, int flags);

#endif
