#ifndef DH_SAMPLING_HANDLER_H
#define DH_SAMPLING_HANDLER_H

/* Installs the handler of DH_SAMPLING_SIGNAL. */
void dh_handler_prepare(void);
/* Has the kernel drop the signal, also where it is under way already. */
void dh_handler_ignore(void);
/* The calling thread is interrupted by it, whatever its mask was when it was made. */
void dh_handler_let_in(void);

#endif
