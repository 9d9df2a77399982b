/*
 * The handler of DH_SAMPLING_SIGNAL: writes down where the thread is, and what it holds.
 *
 * It neither allocates nor locks, and makes system calls only to set the timer again and, now and then, to empty
 * the log's window. All other signals are blocked meanwhile. It needs little stack, since it may run on a small
 * one of the program's own choice.
 */
#define _GNU_SOURCE
#include "handler.h"

#include <signal.h>
#include <ucontext.h>

#include "../real.h"
#include "../syscalls.h"
#include "busy.h"
#include "events.h"
#include "interrupted-call.h"
#include "locks.h"
#include "log.h"
#include "news.h"
#include "perf.h"

/* Of this library: by the linker. */
extern const char __ehdr_start[] DH_HIDDEN, etext[] DH_HIDDEN;

/* The order of a sample's registers, after rip: as instructions number them. */
static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};

/* The agent's own code is none of the program's, and may have half done something to the log. */
static int is_own_code(uintptr_t at) {
  return at - (uintptr_t)__ehdr_start < (uintptr_t)etext - (uintptr_t)__ehdr_start;
}

/* syscall puts the place where it returns into rcx: nothing else leaves the two equal. */
static int is_in_kernel(const gregset_t registers) {
  return registers[REG_RCX] == registers[REG_RIP];
}

/*
 * Return addresses, as far as functions keep frame pointers: each points to the caller's, above it on the stack,
 * with the return address behind it. Nothing is read outside of what the stack has in use.
 */
static uint32_t walk_stack(const struct dh_sampled_thread *thread, const uint64_t *registers,
                           uint64_t *to, uint32_t most) {
  uintptr_t lowest = registers[5], frame = registers[6];
  uint32_t count = 0;
  if (thread->stack == 0 || lowest < thread->stack || lowest >= thread->stack_end)
    return 0; /* not known, or another stack than its own */
  while (count < most && frame >= lowest && frame % 8 == 0 && frame + 16 <= thread->stack_end) {
    const uint64_t *words = (const uint64_t *)frame;
    if (words[1] == 0)
      break;
    to[count++] = words[1];
    lowest = frame + 16;
    frame = words[0];
  }
  return count;
}

/* `registers`: rip, then 16 in order. */
static void log_sample(struct dh_sampled_thread *thread, uint64_t flags, uint64_t time,
                       const uint64_t registers[17]) {
  uint32_t most = dh_control->stack_words;
  if (most > DH_STACK_WORDS_MAX)
    most = DH_STACK_WORDS_MAX;
  uint32_t held = thread->held < DH_LOCKS_MAX ? thread->held : DH_LOCKS_MAX;
  uint64_t *at = dh_log_room(thread, DH_SAMPLED_ACCESS_WORDS + held + most);
  if (at == NULL)
    return;
  at[1] = time;
  for (int i = 0; i < 17; i++)
    at[2 + i] = registers[i];
  for (uint32_t i = 0; i < held; i++)
    at[DH_SAMPLED_ACCESS_WORDS + i] = thread->locks[i];
  uint32_t words = walk_stack(thread, registers, at + DH_SAMPLED_ACCESS_WORDS + held, most);
  __atomic_store_n(at,
                   DH_SAMPLED_ACCESS | flags << 8 | (uint64_t)held << 16 | (uint64_t)words << 24 |
                       (uint64_t)(thread->taken_before + thread->taken) << 32,
                   __ATOMIC_RELEASE);
  thread->log_at = at + DH_SAMPLED_ACCESS_WORDS + held + words;
  __atomic_fetch_add(&dh_control->samples, 1, __ATOMIC_RELAXED);
}

static void take_sample(struct dh_sampled_thread *thread, const gregset_t at, uint64_t time) {
  uint64_t registers[17];
  int has_more = thread->held > DH_LOCKS_MAX || thread->more > 0;
  uint64_t flags = has_more ? DH_SAMPLE_MORE_LOCKS : 0;
  if (dh_is_inside((uintptr_t)at[REG_RSP]))
    flags |= DH_SAMPLE_IN_LOCK;
  if (dh_perf_record(thread, registers))
    log_sample(thread, flags | DH_SAMPLE_HARDWARE, time, registers);
  registers[0] = (uint64_t)at[REG_RIP];
  for (int i = 0; i < 16; i++)
    registers[1 + i] = (uint64_t)at[order[i]];
  log_sample(thread, flags | (is_in_kernel(at) ? DH_SAMPLE_IN_KERNEL : 0), time, registers);
}

/*
 * A thread that lives until the process ends logs nothing last: how long it was sampled for is known by what it
 * says in between. 1, 2, 4 … 32, 64, 96 …
 */
static int is_time_for_clock(uint32_t samples) {
  return (samples & (samples - 1)) == 0 || samples % 32 == 0;
}

static void sample(const mcontext_t *machine) {
  struct dh_sampled_thread *thread = &dh_thread;
  uint64_t time = dh_now(), began = dh_processor_ns();
  int is_busy = thread->busy && dh_is_busy(thread, (uintptr_t)machine->gregs[REG_RSP]);
  if (is_busy || is_own_code((uintptr_t)machine->gregs[REG_RIP])) {
    __atomic_fetch_add(&dh_control->missed, 1, __ATOMIC_RELAXED);
  } else {
    thread->busy = 1;
    DH_BARRIER();
    if (dh_log_is_on(thread)) {
      take_sample(thread, machine->gregs, time);
      dh_news_own(thread);
      if (is_time_for_clock(++thread->samples))
        dh_log_clock(thread);
    }
    dh_log_counts(thread);
    DH_BARRIER();
    thread->busy = 0;
  }
  if (thread->state == DH_THREAD_LIVE)
    dh_event_again(thread);
  /* Not what has gone by: others may have had the processor meanwhile. */
  __atomic_fetch_add(&dh_control->handler_ns, dh_processor_ns() - began, __ATOMIC_RELAXED);
}

static void handle(int number, siginfo_t *info, void *context) {
  (void)number;
  if (dh_event_is_due(info)) {
    sample(&((const ucontext_t *)context)->uc_mcontext);
  } else {
    dh_events_arm_all();
    dh_interrupted_call_again(context);
  }
}

/* As the kernel takes it: <asm/signal.h>. Its way back is ours, as libc's is not for others to use. */
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};
#define SA_RESTORER 0x04000000

void dh_sampling_restorer(void) DH_HIDDEN;
__asm__(".text\n"
        ".globl dh_sampling_restorer\n"
        ".hidden dh_sampling_restorer\n"
        ".type dh_sampling_restorer, @function\n"
        "dh_sampling_restorer:\n\tmov $15, %eax\n\tsyscall\n"
        ".size dh_sampling_restorer, . - dh_sampling_restorer\n");

void dh_handler_prepare(void) {
  struct kernel_action action = {
      .handler = handle,
      .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_RESTORER,
      .restorer = dh_sampling_restorer,
      .mask = ~(uint64_t)0,
  };
  DH_SYSCALL(SYS_rt_sigaction, DH_SAMPLING_SIGNAL, &action, 0, sizeof action.mask);
}

void dh_handler_ignore(void) {
  struct kernel_action action = {.handler = (void *)SIG_IGN};
  DH_SYSCALL(SYS_rt_sigaction, DH_SAMPLING_SIGNAL, &action, 0, sizeof action.mask);
}

void dh_handler_let_in(void) {
  uint64_t ours = 1ull << (DH_SAMPLING_SIGNAL - 1);
  DH_SYSCALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &ours, 0, sizeof ours);
}
