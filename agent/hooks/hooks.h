/* What families of hooks need before threads are logged. */
#ifndef DH_HOOKS_H
#define DH_HOOKS_H

void dh_hooks_prepare(void);

void dh_fork_prepare(void);
void dh_memory_prepare(void);
void dh_thread_hooks_prepare(void);
void dh_signals_prepare(void); /* once dh_on is set */

#endif
