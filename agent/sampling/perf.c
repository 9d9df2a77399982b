#define _GNU_SOURCE
#include "perf.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "../process.h"
#include "../syscalls.h"

#define PAGE 4096
#define AREA (2 * PAGE) /* the kernel's page, and one page of records */
#define SAMPLES_OF_ONE_PERIOD 64
/* <asm/perf_regs.h>: AX BX CX DX SI DI BP SP IP, then R8 to R15, are bits 0-8 and 16-23. */
#define REGISTERS 0xff01ffull

/* Where each register of a sample is among those of a record. */
static const uint8_t order[17] = {
    8,                                   /* rip */
    0, 2, 3, 1, 7, 6, 4, 5,              /* rax rcx rdx rbx rsp rbp rsi rdi */
    9, 10, 11, 12, 13, 14, 15, 16,       /* r8 … r15 */
};

static long make_event(uint64_t period) {
  struct perf_event_attr attributes = {
      .type = dh_control->perf_type,
      .size = sizeof attributes,
      .config = dh_control->perf_config,
      .sample_period = period,
      .sample_type = PERF_SAMPLE_REGS_INTR,
      .sample_regs_intr = REGISTERS,
      .precise_ip = dh_control->perf_precise & 3,
      .wakeup_events = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  return dh_syscall6(SYS_perf_event_open, (long)&attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

/* Signals go to the thread whose event it is. */
static long direct_signals(const struct dh_sampled_thread *thread, long fd) {
  struct f_owner_ex owner = {F_OWNER_TID, (int)thread->tid};
  long result = DH_SYSCALL(SYS_fcntl, fd, F_SETOWN_EX, &owner, 0);
  if (result == 0)
    result = DH_SYSCALL(SYS_fcntl, fd, F_SETSIG, DH_SAMPLING_SIGNAL, 0);
  return result == 0 ? DH_SYSCALL(SYS_fcntl, fd, F_SETFL, O_ASYNC, 0) : result;
}

static long open_event(struct dh_sampled_thread *thread, uint64_t period) {
  long fd = make_event(period);
  if (dh_failed(fd))
    return fd;
  long area = dh_syscall6(SYS_mmap, 0, AREA, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (!dh_failed(area)) {
    thread->perf_area = (void *)area;
    thread->perf_samples = 0;
    area = direct_signals(thread, fd);
  }
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  return area;
}

int dh_perf_again(struct dh_sampled_thread *thread, uint64_t period) {
  static int said;
  if (thread->perf_area != NULL && ++thread->perf_samples < SAMPLES_OF_ONE_PERIOD)
    return 1;
  dh_perf_end(thread);
  long error = open_event(thread, period);
  if (!dh_failed(error))
    return 1;
  dh_perf_end(thread);
  if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    dh_problem(DH_PROBLEM_NO_EVENT, thread->number, (int)-error, "perf_event_open");
  return 0;
}

void dh_perf_end(struct dh_sampled_thread *thread) {
  if (thread->perf_area != NULL)
    dh_unmap(thread->perf_area, AREA);
  thread->perf_area = NULL;
}

/* Records may go round the end of the page: they are copied word by word. */
int dh_perf_record(struct dh_sampled_thread *thread, uint64_t registers[17]) {
  struct perf_event_mmap_page *page = thread->perf_area;
  if (page == NULL)
    return 0;
  const uint64_t *words = (const uint64_t *)((const char *)page + PAGE);
  uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  uint64_t at = page->data_tail;
  int found = 0;
#define WORD(index) words[(at / 8 + (index)) % (PAGE / 8)]
  while (at < head) {
    struct perf_event_header header = *(const struct perf_event_header *)&WORD(0);
    if (header.size == 0)
      break;
    int has_registers = header.type == PERF_RECORD_SAMPLE && header.size == 8 * (2 + 17) &&
                        WORD(1) == PERF_SAMPLE_REGS_ABI_64;
    for (int i = 0; has_registers && i < 17; i++)
      registers[i] = WORD(2 + order[i]);
    found = has_registers;
    at += header.size;
  }
#undef WORD
  __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
  return found && dh_control->perf_precise != 0;
}
