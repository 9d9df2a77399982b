#ifndef DH_SAMPLING_THREAD_HOOKS_H
#define DH_SAMPLING_THREAD_HOOKS_H

/* How large stacks are, if nothing is said. */
void dh_thread_hooks_prepare(void);

#endif
