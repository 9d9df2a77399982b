#define _GNU_SOURCE
#include "interrupted-call.h"

#include <errno.h>
#include <stdint.h>

#include "../syscalls.h"

#define MOV_EAX 0xb8
#define MOV_LENGTH 5
#define SYSCALL_LENGTH 2

/* Calls that have done nothing yet if they say EINTR, and do the same if they are made once more. */
static int can_be_made_again(uint32_t number) {
  switch (number) {
  case SYS_read:
  case SYS_poll:
  case SYS_ppoll:
  case SYS_select:
  case SYS_pselect6:
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
  case SYS_pause:
  case SYS_rt_sigsuspend:
  case SYS_rt_sigtimedwait:
  case SYS_futex:
  case SYS_accept:
  case SYS_accept4:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_semop:
  case SYS_semtimedop:
  case SYS_msgrcv:
  case SYS_msgsnd:
  case SYS_io_getevents:
    return 1;
  default:
    return 0;
  }
}

/* One that was about to interrupt the call as well: all are blocked while the handler runs. */
static int is_another_pending(const ucontext_t *context) {
  uint64_t pending = 0, blocked = ((const uint64_t *)&context->uc_sigmask)[0];
  DH_SYSCALL(SYS_rt_sigpending, &pending, sizeof pending, 0, 0);
  return (pending & ~blocked) != 0;
}

void dh_interrupted_call_again(ucontext_t *context) {
  greg_t *registers = context->uc_mcontext.gregs;
  const uint8_t *at = (const uint8_t *)registers[REG_RIP];
  uint8_t code[MOV_LENGTH + SYSCALL_LENGTH];
  /* syscall leaves the place where it returns in rcx. */
  if (registers[REG_RAX] != -EINTR || registers[REG_RCX] != registers[REG_RIP])
    return;
  if (!dh_peek(code, at - sizeof code, sizeof code))
    return;
  if (code[0] != MOV_EAX || code[5] != 0x0f || code[6] != 0x05)
    return;
  uint32_t number = code[1] | code[2] << 8 | code[3] << 16 | (uint32_t)code[4] << 24;
  if (!can_be_made_again(number) || is_another_pending(context))
    return;
  registers[REG_RAX] = number;
  registers[REG_RIP] = (greg_t)(at - SYSCALL_LENGTH);
}
