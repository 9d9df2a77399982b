/* Which number a thread has, given its pthread_t: for join, detach and cancel. */
#ifndef DH_THREAD_NUMBERS_H
#define DH_THREAD_NUMBERS_H

#include <stdint.h>

/* A number for a thread to be; 0 if there have been too many. */
uint32_t dh_new_thread_number(void);
void dh_remember_thread(unsigned long pthread, uint32_t number);
/* 0 if it is not known. */
uint32_t dh_number_of_thread(unsigned long pthread);
/* In the child of a fork. */
void dh_forget_threads(void);
void dh_say_thread_name(uint32_t number, uint32_t tid, const char name[16]);

#endif
