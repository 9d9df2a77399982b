#ifndef DH_SAMPLING_HANDLER_H
#define DH_SAMPLING_HANDLER_H

/* Installs the handler of DH_SAMPLING_SIGNAL, and lets the signal in. */
void dh_handler_prepare(void);

#endif
