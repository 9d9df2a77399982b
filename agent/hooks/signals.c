/*
 * Signal handlers. Each handler of the program is called by one of ours:
 *
 * - If the agent itself was interrupted (thread->busy), the signal is put off: it is sent to this
 *   thread again, and blocked until the agent is done. The kernel then delivers it with everything
 *   that belongs to it, a moment later.
 * - Otherwise the handler runs with a raw buffer of its own, since a clone may have been interrupted
 *   in the middle of a record; the registers it has spilled are put back as well.
 * - A fault (SIGSEGV and the like, raised by the instruction itself) cannot be put off, and is not.
 *
 * What the program asks for (mask, SA_NODEFER, SA_ONSTACK, SA_RESTART …) is passed on as it is, but
 * for SA_RESETHAND, which our handler does itself: a signal that is put off is delivered twice.
 * On x86-64 the kernel passes siginfo and context to all handlers, SA_SIGINFO or not.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <ucontext.h>

#include "../accesses.h"
#include "../filter.h"
#include "../real.h"
#include "../syscalls.h"
#include "../thread.h"
#include "hooks.h"

typedef void (*handler)(int, siginfo_t *, void *);

DH_REAL(int, sigaction, (int number, const struct sigaction *action, struct sigaction *old),
        (number, action, old))
DH_REAL(sighandler_t, signal, (int number, sighandler_t handler), (number, handler))
DH_REAL(sighandler_t, __sysv_signal, (int number, sighandler_t handler), (number, handler))
DH_REAL(sighandler_t, sigset, (int number, sighandler_t handler), (number, handler))

/* What the program has asked for; valid where the kernel knows our handler. */
static struct {
  handler run;
  int flags;
} program[_NSIG];

/*
 * Where a handler began: what it must leave as it was. It lies behind the handler's raw buffer and
 * not on the stack, so that it outlives a handler that is left by an exception.
 */
struct dh_handler_frame {
  struct dh_handler_frame *outer;
  uintptr_t stack;             /* all that the handler uses lies below: see run_logged */
  uintptr_t interrupted_stack; /* where the stack was before */
  char *own_buffer;            /* NULL: the thread is not logged */
  char *cursor, *limit, *buffer, *undrained;
  uint64_t spill[DH_THREAD_SPILLS];
  int busy, quiet;
  enum dh_thread_state state;
  struct dh_once *once;
};

#define HANDLER_MEMORY (DH_RAW_BUFFER + sizeof(struct dh_handler_frame))
#define LARGEST_STACK (1ul << 30)

static int is_fault(int number, const siginfo_t *info) {
  switch (number) {
  case SIGSEGV:
  case SIGBUS:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
  case SIGSYS:
    return info->si_code > 0;
  }
  return 0;
}

/* All that may be put off, as the kernel writes it: bit n - 1 for signal n. */
#define FAULTS                                                                                     \
  (1ul << (SIGSEGV - 1) | 1ul << (SIGBUS - 1) | 1ul << (SIGFPE - 1) | 1ul << (SIGILL - 1) |        \
   1ul << (SIGTRAP - 1) | 1ul << (SIGSYS - 1))

/* 0 if it cannot be put off: the queue of signals is full. */
static int put_off(struct dh_thread *thread, int number, siginfo_t *info, ucontext_t *context) {
  long pid = DH_SYSCALL(SYS_getpid, 0, 0, 0, 0);
  long tid = DH_SYSCALL(SYS_gettid, 0, 0, 0, 0);
  uint64_t *mask = (uint64_t *)&context->uc_sigmask;
  /* It is blocked now, unless SA_NODEFER: then it comes at once, and is put off again and again. */
  uint64_t all = ~(uint64_t)FAULTS, before;
  DH_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
  int queued = DH_SYSCALL(SYS_rt_tgsigqueueinfo, pid, tid, number, info) == 0 ||
               (number < __SIGRTMIN && DH_SYSCALL(SYS_tgkill, pid, tid, number, 0) == 0);
  if (!queued) {
    DH_SYSCALL(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof before);
    return 0;
  }
  thread->mask = *mask;
  thread->masked = 1;
  *mask |= all;
  return 1;
}

void dh_unmask(struct dh_thread *thread) {
  uint64_t mask = thread->mask;
  thread->masked = 0;
  DH_SYSCALL(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
}

/* Remembers what the interrupted code must find again. */
static void save(struct dh_thread *thread, struct dh_handler_frame *frame) {
  for (int i = 0; i < DH_THREAD_SPILLS; i++)
    frame->spill[i] = thread->spill[i];
  frame->busy = thread->busy - 1; /* the one is ours */
  frame->quiet = thread->quiet;
  frame->state = thread->state;
  frame->once = thread->once;
  frame->cursor = thread->cursor;
  frame->limit = thread->limit;
  frame->buffer = thread->buffer;
  frame->undrained = thread->undrained;
}

static void restore(struct dh_thread *thread, const struct dh_handler_frame *frame) {
  for (int i = 0; i < DH_THREAD_SPILLS; i++)
    thread->spill[i] = frame->spill[i];
  thread->quiet = frame->quiet;
  thread->state = frame->state;
  thread->once = frame->once;
  thread->cursor = frame->cursor;
  thread->limit = frame->limit;
  thread->buffer = frame->buffer;
  thread->undrained = frame->undrained;
  thread->busy = frame->busy + 1;
}

/* Back to the interrupted code's buffer. */
static void pop(struct dh_thread *thread) {
  struct dh_handler_frame *frame = thread->handlers;
  dh_enter(thread);
  if (thread->cursor > thread->undrained)
    dh_drain(thread);
  thread->handlers = frame->outer;
  char *buffer = frame->own_buffer;
  restore(thread, frame);
  if (thread->spare_buffer == NULL)
    thread->spare_buffer = buffer;
  else
    dh_unmap(buffer, HANDLER_MEMORY);
  dh_leave(thread);
}

/* The same for a handler that was left by a jump or an exception: it, and perhaps a piece of the
   agent that a fault had interrupted, will never come to an end. */
static void abandon(struct dh_thread *thread) {
  pop(thread);
  thread->busy = 1;
  dh_leave(thread);
}

/* The stack of a handler that is still running reaches down to what was interrupted. */
static int is_running(const struct dh_handler_frame *frame, uintptr_t interrupted) {
  return interrupted < frame->stack && frame->stack - interrupted < LARGEST_STACK;
}

/* A buffer for a handler, with room for its frame behind it; NULL if it is not to be logged. A thread
   that has not started yet stays that way: it may be about to learn its number. */
static char *handler_buffer(struct dh_thread *thread) {
  if (thread->state != DH_THREAD_LIVE)
    return NULL;
  char *buffer = thread->spare_buffer;
  thread->spare_buffer = NULL;
  return buffer != NULL ? buffer : dh_map(HANDLER_MEMORY);
}

static void run_logged(struct dh_thread *thread, char *buffer, handler run, int number,
                       siginfo_t *info, ucontext_t *context) {
  struct dh_handler_frame *frame = (struct dh_handler_frame *)(buffer + DH_RAW_BUFFER);
  save(thread, frame);
  if (frame->busy == 0 && thread->cursor > thread->undrained) {
    /* Whole records lie below the cursor, from which the interrupted clone will go on. */
    dh_drain(thread);
    frame->undrained = frame->cursor;
  }
  frame->own_buffer = buffer;
  /* Above our own frame, which is gone already when this function ends by a jump to pop(): a signal
     that comes just then must not take this handler for one that was left. */
  frame->stack = (uintptr_t)context;
  frame->interrupted_stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  frame->outer = thread->handlers;
  thread->handlers = frame;
  dh_thread_use_buffer(thread, buffer);
  thread->quiet = 0;
  thread->busy = 1;
  dh_leave(thread);
  run(number, info, context);
  if (thread->handlers == frame)
    pop(thread);
}

static void run_unlogged(struct dh_thread *thread, handler run, int number, siginfo_t *info,
                         ucontext_t *context) {
  struct dh_handler_frame frame;
  save(thread, &frame);
  thread->state = DH_THREAD_ENDED;
  dh_thread_use_buffer(thread, dh_nowhere);
  thread->busy = 1;
  dh_leave(thread);
  run(number, info, context);
  dh_enter(thread);
  restore(thread, &frame);
  dh_leave(thread);
}

void dh_forget_handlers(struct dh_thread *thread) {
  while (thread->handlers != NULL) {
    struct dh_handler_frame *frame = thread->handlers;
    thread->handlers = frame->outer;
    dh_unmap(frame->own_buffer, HANDLER_MEMORY);
  }
  if (thread->spare_buffer != NULL)
    dh_unmap(thread->spare_buffer, HANDLER_MEMORY);
  thread->spare_buffer = NULL;
}

/* What SA_RESETHAND asks for. */
static void reset(int number) {
  struct sigaction none = {.sa_handler = SIG_DFL};
  real_sigaction(number, &none, NULL);
}

static void handle(int number, siginfo_t *info, void *context) {
  struct dh_thread *thread = &dh_self;
  if (thread->busy > 0 && !is_fault(number, info) && put_off(thread, number, info, context))
    return;
  handler run = program[number].run;
  if (program[number].flags & SA_RESETHAND)
    reset(number);
  if (!(program[number].flags & SA_RESTART))
    thread->interruptions++;
  uintptr_t interrupted = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
  while (thread->handlers != NULL && !is_running(thread->handlers, interrupted))
    abandon(thread);
  if (thread->busy > 0)
    dh_order_abandon(thread); /* a fault: others must not wait for what may never be done */
  dh_enter(thread);
  char *buffer = handler_buffer(thread);
  if (buffer != NULL)
    run_logged(thread, buffer, run, number, info, context);
  else
    run_unlogged(thread, run, number, info, context);
}

/* After vfork the child has its parent's memory, but signals of its own: it is left alone. */
static int is_borrowing(void) {
  if (dh_fork_mark.owner == 0)
    dh_process_forked();
  return DH_SYSCALL(SYS_getpid, 0, 0, 0, 0) != dh_process.pid;
}

static int is_function(sighandler_t handler) {
  return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR && handler != SIG_HOLD;
}

DH_HOOK int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  if (!dh_on || number < 1 || number >= _NSIG)
    return real_sigaction(number, action, old);
  handler before = program[number].run;
  int flags_before = program[number].flags;
  struct sigaction wrapped;
  int wrapping = action != NULL && is_function(action->sa_handler) && !is_borrowing();
  if (wrapping) {
    wrapped = *action;
    wrapped.sa_sigaction = handle;
    wrapped.sa_flags &= ~(int)SA_RESETHAND;
    program[number].run = action->sa_sigaction;
    program[number].flags = action->sa_flags;
  }
  int result = real_sigaction(number, wrapping ? &wrapped : action, old);
  if (result != 0 && wrapping) {
    program[number].run = before;
    program[number].flags = flags_before;
  }
  if (result == 0 && old != NULL && old->sa_sigaction == handle) {
    old->sa_sigaction = before;
    old->sa_flags |= flags_before & (int)SA_RESETHAND;
  }
  return result;
}

/* signal and sigset: what they ask the kernel for is theirs to decide; `flags` says what that is. */
static sighandler_t install(sighandler_t (*real)(int, sighandler_t), int number,
                            sighandler_t wanted, int flags) {
  if (!dh_on || number < 1 || number >= _NSIG)
    return real(number, wanted);
  handler before = program[number].run;
  int flags_before = program[number].flags;
  int wrapping = is_function(wanted) && !is_borrowing();
  if (wrapping) {
    program[number].run = (handler)(void *)wanted;
    program[number].flags = flags;
  }
  sighandler_t old = real(number, wrapping ? (sighandler_t)(void *)handle : wanted);
  if (old == SIG_ERR && wrapping) {
    program[number].run = before;
    program[number].flags = flags_before;
  }
  return old == (sighandler_t)(void *)handle ? (sighandler_t)(void *)before : old;
}

DH_HOOK sighandler_t signal(int number, sighandler_t wanted) {
  return install(real_signal, number, wanted, SA_RESTART);
}

DH_HOOK sighandler_t bsd_signal(int number, sighandler_t wanted) {
  return install(real_signal, number, wanted, SA_RESTART);
}

DH_HOOK sighandler_t ssignal(int number, sighandler_t wanted) {
  return install(real_signal, number, wanted, SA_RESTART);
}

DH_HOOK sighandler_t sigset(int number, sighandler_t wanted) {
  return install(real_sigset, number, wanted, 0);
}

/* System V's signal is for one time only: see SA_RESETHAND. */
DH_HOOK sighandler_t __sysv_signal(int number, sighandler_t wanted) {
  if (!dh_on || wanted == SIG_ERR)
    return real___sysv_signal(number, wanted);
  struct sigaction action = {.sa_handler = wanted, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
  struct sigaction old;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

DH_HOOK sighandler_t sysv_signal(int number, sighandler_t wanted) {
  return __sysv_signal(number, wanted);
}

/* Handlers that libraries have set up before the agent started. */
void dh_signals_prepare(void) {
  for (int number = 1; number < _NSIG; number++) {
    struct sigaction action;
    /* The two of libc's own, 32 and 33, are not shown. */
    if (real_sigaction(number, NULL, &action) == 0 && is_function(action.sa_handler))
      sigaction(number, &action, NULL);
  }
}

/*
 * longjmp out of a handler: the thread goes on where setjmp was, with the buffers of that place. A
 * jump within the handler goes to a stack frame between here and our frame.
 */
static void before_jump(const void *environment) {
  struct dh_thread *thread = &dh_self;
  if (thread->handlers == NULL)
    return;
  /* glibc keeps the stack pointer as word 6, xored with a secret of the process and rotated. */
  uint64_t hidden = ((const uint64_t *)environment)[6], secret;
  __asm__("mov %%fs:0x30, %0" : "=r"(secret));
  uintptr_t target = (hidden >> 17 | hidden << 47) ^ secret;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  while (thread->handlers != NULL && !(target >= here && target < thread->handlers->stack)) {
    here = thread->handlers->interrupted_stack;
    abandon(thread);
  }
}

typedef struct __jmp_buf_tag *jump_target;

DH_REAL(void, longjmp, (jump_target target, int value), (target, value))
DH_REAL(void, _longjmp, (jump_target target, int value), (target, value))
DH_REAL(void, siglongjmp, (jump_target target, int value), (target, value))
DH_REAL(void, __longjmp_chk, (jump_target target, int value), (target, value))

#define JUMP(name)                                                                                 \
  DH_HOOK void name(struct __jmp_buf_tag target[1], int value) {                                   \
    before_jump(target);                                                                           \
    real_##name(target, value);                                                                    \
    __builtin_unreachable();                                                                       \
  }

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
