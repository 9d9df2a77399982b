/* What is loaded: told in the channel, at the start and when it has changed. */
#ifndef DH_SAMPLING_IMAGES_H
#define DH_SAMPLING_IMAGES_H

/* Not for handlers: asks the loader, which has a lock of its own. */
void dh_images_look(void);
/* In the child of a fork: whoever was looking is not there. */
void dh_images_forked(void);

#endif
