/*
 * A thread that sleeps in a system call when it is told to look at the control would be woken by that: calls that wait
 * for a time or for a signal return EINTR whatever a handler asks for (signal(7)). A program that rests in pause()
 * until it is to end would end. So the handler has the call made again, as the kernel does with other calls: the
 * thread goes back to the instruction, with the number of the call in rax.
 *
 *   mov $34,%eax
 *   syscall          ← back to here, rax = 34
 *   …                ← instead of here, rax = -EINTR
 *
 * The number is read from the instruction before, where libc has it; a call that is made in another way is left
 * interrupted. A limit that is given as a length of time, and not written back by the kernel, begins anew.
 *
 * Signals that ask for a sample come while a thread runs, and interrupt nothing.
 */
#ifndef DH_SAMPLING_INTERRUPTED_CALL_H
#define DH_SAMPLING_INTERRUPTED_CALL_H

#include <ucontext.h>

/* Of the handler's own frame, as its last deed. */
void dh_interrupted_call_again(ucontext_t *);

#endif
