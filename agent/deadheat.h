/*
 * What deadheat (TypeScript) and the agent (C, inside the target) agree on. This is the one place
 * where the channel, its records and the threads' logs are laid out; src/linux/agent-protocol.ts
 * states the same numbers, and a test compares the two.
 *
 * There are two ways out of the target, and one into it:
 *
 * - The channel, for what is rare: one file for all processes of a run, that both sides map. It
 *   starts with struct dh_channel; records follow, each starting with struct dh_record. A writer
 *   reserves its bytes by adding to `reserved`, fills them in, and stores the kind last, so a reader
 *   that sees a kind sees a whole record.
 * - A log for each thread, for what is frequent: a file of 64-bit words beside the channel, called
 *   `<process>-<thread>.log`. Processes are numbered, because a pid does not tell one program from
 *   the next that the same process executes.
 * - The schedule, if the program is to run again in a given order: a file called `schedule` beside the
 *   channel, that both sides map.
 *
 * The agent that samples (agent/sampling/) is a library of its own. It has the same channel and the same files
 * of logs, with kinds of records of its own in them, and a file called `control` that both sides map: see the
 * end of this file.
 */
#ifndef DEADHEAT_H
#define DEADHEAT_H

#include <stdint.h>

#define DH_PROTOCOL 4
#define DH_MAGIC 0x54414548     /* "HEAT": the channel */
#define DH_LOG_MAGIC 0x474f4c44 /* "DLOG": the log of a thread */
#define DH_SCHEDULE_MAGIC 0x48435344 /* "DSCH": a schedule */
#define DH_SAMPLING_MAGIC 0x4c504d53 /* "SMPL": the control of sampling */

/* For variables that are used with each access: they are reached without a look at a table of addresses. */
#define DH_HIDDEN __attribute__((visibility("hidden")))

/* Environment variable that names the channel file. */
#define DH_CHANNEL_VARIABLE "DEADHEAT_CHANNEL"
/* The same for the agent that samples: names the control file. */
#define DH_SAMPLING_VARIABLE "DEADHEAT_SAMPLING"
#define DH_SAMPLING_CHANNEL "processes" /* the channel of that agent, beside the control */

/* ---- the channel ---- */

struct dh_channel {
  uint32_t magic;
  uint32_t protocol;
  uint64_t capacity;  /* bytes for records, after this header */
  uint64_t reserved;  /* bytes handed out so far; more than capacity: records were lost */
  uint32_t options;   /* enum dh_option, set by deadheat */
  uint32_t processes; /* process numbers handed out so far: the first one is 1 */
  uint8_t padding[32];
};
_Static_assert(sizeof(struct dh_channel) == 64, "channel header");

enum dh_option {
  DH_OPTION_SYNC_ONLY = 1, /* log synchronisation and memory, though nothing is instrumented */
  DH_OPTION_LOG = 2,       /* threads have logs at all; without it, the agent only says hello */
  DH_OPTION_RANGES = 4,    /* log what mem* and str* touch, though nothing is instrumented */
  DH_OPTION_SCHEDULE = 8,  /* nothing is logged or instrumented; one process follows a schedule */
};

enum dh_kind {
  DH_KIND_NONE = 0,
  DH_KIND_HELLO = 1,
  DH_KIND_MODULE = 2,
  DH_KIND_THREAD = 3,
  DH_KIND_PROBLEM = 4,
  DH_KIND_IMAGE = 5,
};

struct dh_record {
  uint32_t kind; /* enum dh_kind, stored last */
  uint32_t size; /* of the whole record, a multiple of 8 */
};
_Static_assert(sizeof(struct dh_record) == 8, "record header");

/* The agent has been loaded into a process, or this is the child of a fork of one. */
struct dh_hello {
  struct dh_record record;
  uint32_t pid;
  uint32_t protocol;
  uint32_t process;        /* its number */
  uint32_t parent_pid;
  uint32_t parent_process; /* the number of the process that forked it; 0: it was executed */
  uint32_t path_length;
  char path[]; /* of the executable: bytes, without a zero */
};
_Static_assert(sizeof(struct dh_hello) == 32, "hello");

/* An image whose functions were given clones. */
struct dh_module {
  struct dh_record record;
  uint32_t process;
  uint32_t site_base;     /* the first site number of this module */
  uint64_t load_base;     /* image address 0 is here */
  uint64_t blob_base;     /* the blob is mapped here */
  uint32_t patched;       /* functions */
  uint32_t refused;       /* functions that could not be patched after all */
  uint32_t id_length;     /* bytes of the build-id */
  uint32_t path_length;
  char id_and_path[]; /* the build-id's bytes, then the path's */
};
_Static_assert(sizeof(struct dh_module) == 48, "module");

/* An image that is loaded, as sampled programs tell it: at the start, and after dlopen and dlclose have changed
   something. One that lies where an earlier one did has taken its place. A forked process says only what
   changes: it has all that its parent had said before its HELLO. */
struct dh_image {
  struct dh_record record;
  uint32_t process;
  uint32_t id_length; /* bytes of the build-id; 0: it has none */
  uint64_t time;      /* in ticks (see struct dh_sampling_control): since when at the latest */
  uint64_t load_base; /* image address 0 is here */
  uint64_t begin;     /* the lowest and the highest address of its segments */
  uint64_t end;
  uint32_t is_gone; /* 1: it was unloaded */
  uint32_t path_length;
  char id_and_path[]; /* the build-id's bytes, then the path's */
};
_Static_assert(sizeof(struct dh_image) == 56, "image");

/* What a thread is called: said at its end, and whenever it is given a name. */
struct dh_thread_name {
  struct dh_record record;
  uint32_t process;
  uint32_t thread; /* its number in the process */
  uint32_t tid;
  uint32_t name_length;
  char name[];
};
_Static_assert(sizeof(struct dh_thread_name) == 24, "thread name");

/* The program goes on, but the trace lacks something. */
struct dh_problem {
  struct dh_record record;
  uint32_t process;
  uint32_t thread; /* 0: all of them */
  uint64_t seq;    /* nothing is missing before this synchronisation operation */
  uint32_t what;   /* enum dh_problem_kind */
  uint32_t error;  /* errno, or 0 */
  uint64_t text_length;
  char text[]; /* for people: a path, a count */
};
_Static_assert(sizeof(struct dh_problem) == 40, "problem");

enum dh_problem_kind {
  DH_PROBLEM_LOG_STOPPED = 1,      /* a log cannot grow: no thread is logged from here on */
  DH_PROBLEM_TOO_MANY_THREADS = 2, /* more than DH_THREADS_MAX */
  DH_PROBLEM_BLOB = 3,             /* a blob could not be mapped */
  DH_PROBLEM_LOG_LIMIT = 4,        /* sampling: all logs together are as large as they may be */
  DH_PROBLEM_NO_EVENT = 5,         /* sampling: a thread's event or timer cannot be had */
  DH_PROBLEM_FOREIGN_UNLOCK = 6,   /* sampling: a thread has let go of a lock that another one took */
};

/* ---- the logs ---- */

#define DH_THREADS_MAX 65535 /* numbers are never used twice; further threads are not logged */

/*
 * A log begins with a window that the thread has mapped and writes into: the header, and room for
 * records up to DH_LOG_WINDOW bytes. Whenever it is full, its records are appended to the file, after
 * it, and it begins anew: so the pages that are written to stay few, and faults rare. All of a log is
 * [DH_LOG_WINDOW, DH_LOG_WINDOW + flushed) of the file, then what is in the window if window_start
 * equals `flushed` (otherwise the thread was killed between appending the window and emptying it).
 */
struct dh_log_header {
  uint32_t magic;
  uint32_t protocol;
  uint32_t process;
  uint32_t pid;
  uint32_t tid;
  uint32_t thread; /* its number: 1, 2, … */
  uint64_t time;   /* CLOCK_MONOTONIC when it was started, in nanoseconds */
  char name[16];   /* when it was started; filled up with zeros */
  uint64_t flushed;      /* bytes of records after the window */
  uint64_t window_start; /* bytes of records before those in the window */
};
_Static_assert(sizeof(struct dh_log_header) == 64, "log header");

#define DH_LOG_WINDOW 65536

/*
 * The first word of a log record: bits 0-7 its kind, 8-15 op or flags, 16-31 `small`, 32-63 `site`.
 * A zero word ends the window. The first word is written last.
 *
 * DH_LOG_SITE    [head, number]                        what further records call by that number: flags
 *                                                      DH_READ… ; small: bytes; site: where
 * DH_LOG_ACCESS  [kind | number << 8 | address << 16]  number: of the SITE that was said last
 * DH_LOG_PAIR    [kind | number << 8 | number << 16 | distance << 24 | distance << 44]
 *                                                      two accesses: how far each is from the one before,
 *                                                      ACCESS or half of a PAIR; 20 bits, signed. In the
 *                                                      other three kinds of PAIR the first, the second or
 *                                                      both are told from the *other* address: that of the
 *                                                      last access whose next was too far away for 20 bits
 * DH_LOG_RANGE   [head, address, length, caller]       flags; memcpy and the like
 * DH_LOG_RUN     [head, address, stride, count]        an access, `count` times, `stride` bytes apart;
 *                                                      flags, small, site as in SITE
 * DH_LOG_EARLIER [head, address, epoch | site << 32]   in the head's `site`: the number of another thread,
 *                                                      which was the last one to touch this, in that epoch
 *                                                      of its own, before anybody else had; flags; a site
 *                                                      of DH_NO_SITE is not known
 * DH_LOG_ATOMIC  [head, seq, address]                  flags; small: bytes; site
 *
 * In the following the first word is kind | op << 8 | seq << 16; addresses have 48 bits.
 *
 * DH_LOG_SYNC    [first, object | extra << 48, caller] op: enum dh_op
 * DH_LOG_WAIT    [first, object, caller, extra]        the same, where extra is an address
 * DH_LOG_MEMORY  [first, address | size << 48, caller | (size >> 16) << 48]
 *                                                      op: DH_OP_ALLOCATE or DH_OP_FREE;
 *                                                      size: see DH_SIZE_PAGES
 */
enum dh_log_kind {
  DH_LOG_END = 0,
  DH_LOG_ACCESS = 1,
  DH_LOG_RANGE = 2,
  DH_LOG_RUN = 3,
  DH_LOG_EARLIER = 4,
  DH_LOG_SYNC = 5,
  DH_LOG_MEMORY = 6,
  DH_LOG_ATOMIC = 7,
  DH_LOG_WAIT = 8,
  DH_LOG_SITE = 9,
  DH_LOG_PAIR = 10,
  DH_LOG_PAIR_FROM_OTHER = 11,      /* the first is */
  DH_LOG_PAIR_TO_OTHER = 12,        /* the second is */
  DH_LOG_PAIR_BETWEEN_OTHERS = 13,  /* both are */
};
#define DH_LOG_LARGEST 4 /* words */

#define DH_LOG_SITES 256 /* numbers for SITE */
#define DH_NO_SITE 0x1fffff

enum dh_access {
  DH_READ = 1,
  DH_WRITE = 2,
  DH_ATOMIC = 4,
};

/* In the 32 bits of a MEMORY record's size: the other 31 count pages of 4096 bytes, rounded up. */
#define DH_SIZE_PAGES 0x80000000u

#define DH_HEAD(kind, op, small, site)                                                             \
  ((uint64_t)(kind) | (uint64_t)(op) << 8 | (uint64_t)(small) << 16 | (uint64_t)(site) << 32)

/*
 * Synchronisation. `object` is an address, if nothing else is said. All but ALLOCATE and FREE end an
 * epoch of the thread. Numbers (seq) are taken after what acquires and before what releases. An
 * ALLOCATE has the number that the next operation of whatever thread will get: it comes after all
 * numbers below, and two of them may be equal.
 */
enum dh_op {
  DH_OP_NONE = 0,
  DH_OP_ACQUIRE = 1,        /* extra: enum dh_lock, with DH_LOCK_TRY, DH_LOCK_TIMED */
  DH_OP_RELEASE = 2,        /* extra: enum dh_lock */
  DH_OP_ACQUIRE_SHARED = 3, /* as ACQUIRE */
  DH_OP_RELEASE_SHARED = 4,
  DH_OP_WAIT_BEGIN = 5,     /* object: condition; extra: the mutex that is let go */
  DH_OP_WAIT_END = 6,       /* extra: the mutex that is held again, whether or not it was signalled */
  DH_OP_SIGNAL = 7,
  DH_OP_BROADCAST = 8,
  DH_OP_POST = 9,
  DH_OP_WAIT_DONE = 10,
  DH_OP_ARRIVE = 11,        /* barrier */
  DH_OP_LEAVE = 12,
  DH_OP_ONCE_BEGIN = 13,    /* this thread runs the routine */
  DH_OP_ONCE_END = 14,      /* extra: 1 if it was given up, and another may try */
  DH_OP_ONCE_PASS = 15,     /* it had been run */
  DH_OP_FORK = 16,          /* extra: the number of the thread to be; object: 0 */
  DH_OP_BEGIN = 17,         /* object: pthread_t; extra: 1 if a FORK has announced it */
  DH_OP_END = 18,           /* object: pthread_t */
  DH_OP_JOIN = 19,          /* object: pthread_t; extra: that thread's number, 0 if not known */
  DH_OP_DETACH = 20,        /* as JOIN */
  DH_OP_CANCEL = 21,        /* as JOIN: it was asked to end */
  DH_OP_INIT = 22,          /* an object at this address is new; extra: enum dh_lock */
  DH_OP_DESTROY = 23,       /* extra: enum dh_lock */
  DH_OP_ALLOCATE = 24,      /* also of a stack, by the thread that begins on it */
  DH_OP_FREE = 25,
  DH_OP_PROCESS_FORK = 26,  /* first in a child's log; object: parent's process number; extra: its thread */
  DH_OP_ATOMIC = 27,        /* in a schedule only: an atomic access, which deadheat itself holds back */
};

enum dh_lock {
  DH_LOCK_MUTEX = 1,
  DH_LOCK_RWLOCK = 2,
  DH_LOCK_SPIN = 3,
  DH_LOCK_CONDITION = 4, /* for INIT and DESTROY only, as the following */
  DH_LOCK_SEMAPHORE = 5,
  DH_LOCK_BARRIER = 6,
  DH_LOCK_TRY = 0x100,   /* it was only tried: could not have blocked */
  DH_LOCK_TIMED = 0x200, /* it would have blocked for some time only */
  DH_LOCK_DEAD = 0x400,  /* robust mutex: its last owner died holding it */
};

/* ---- the schedule ---- */

/*
 * An order in which the threads of one process are to synchronise (schedule.h says how it is kept). The
 * file is struct dh_schedule, then `threads` slots, `objects` objects and `steps` steps. Step n has its turn
 * when `turn` is n: the thread whose step it is makes it, and then sets `turn` to n + 1. Whoever waits at
 * the gate sleeps on `changes` (a futex), with the bit of its number modulo 32: it is raised, and the bits
 * concerned are woken, with every change of turn, open and free.
 */
struct dh_schedule {
  uint32_t magic;
  uint32_t protocol;
  uint32_t process;  /* the number of the process that this is for */
  uint32_t pid;      /* of deadheat: when that is gone, everything is let go */
  uint64_t deadline; /* CLOCK_MONOTONIC in nanoseconds: then, too; 0: never */
  uint32_t threads;  /* slots: that of thread n is the n-th. Threads without one are free */
  uint32_t announced; /* the largest number in the schedule: further threads get numbers after it */
  uint32_t objects;
  uint32_t steps;
  uint8_t padding[24];

  uint32_t turn;
  uint32_t changes;
  uint32_t open;     /* enum dh_open: everything is let go, for good */
  uint32_t diverged; /* 1: what follows is valid */
  uint32_t diverged_thread;
  uint32_t diverged_turn; /* the step that was expected of the thread, or DH_NO_STEP */
  uint32_t diverged_op;   /* what it did instead */
  uint32_t diverging;     /* the agent's own */
  uint64_t diverged_object;
  uint64_t diverged_caller;
  uint8_t more_padding[16];
};
_Static_assert(sizeof(struct dh_schedule) == 128, "schedule");

#define DH_NO_STEP 0xffffffffu

enum dh_open {
  DH_OPEN_NOT = 0,
  DH_OPEN_BY_DEADHEAT = 1,
  DH_OPEN_DIVERGED = 2,  /* a thread did something else than its next step */
  DH_OPEN_ORPHANED = 3,  /* deadheat is gone */
  DH_OPEN_LATE = 4,      /* the deadline is over */
};

struct dh_scheduled_thread {
  uint32_t next;  /* its next step, or DH_NO_STEP: it waits at its next operation */
  uint32_t done;  /* how many steps it has made */
  uint32_t tid;   /* 0 until it has begun */
  uint32_t state; /* enum dh_gate_state */
  uint32_t free;  /* set by deadheat: it is not held back any more */
  uint32_t races; /* set by deadheat: what it tries without waiting for it is no step, even after its last */
  uint32_t op;    /* where it stands at the gate: enum dh_op, the object's address and the caller */
  uint32_t padding;
  uint64_t object; /* for JOIN: the other thread's number */
  uint64_t caller;
  uint8_t more_padding[16];
};
_Static_assert(sizeof(struct dh_scheduled_thread) == 64, "scheduled thread");

enum dh_gate_state {
  DH_GATE_NOWHERE = 0, /* it has not begun */
  DH_GATE_RUNNING = 1,
  DH_GATE_WAITING = 2, /* for the turn of its next step */
  DH_GATE_HELD = 3,    /* until everything is let go: it has no further steps */
  DH_GATE_ENDED = 4,
};

struct dh_scheduled_object {
  uint64_t address;   /* where it is in this run: 0 until a step has shown it */
  uint32_t last_turn; /* no step after this one is about it */
  uint32_t padding;
};
_Static_assert(sizeof(struct dh_scheduled_object) == 16, "scheduled object");

struct dh_step {
  uint32_t thread; /* whose it is; of an ATOMIC as well */
  uint16_t op;     /* enum dh_op */
  uint16_t flags;  /* enum dh_step_flag */
  uint32_t object; /* its number, from 0; of FORK and JOIN: the other thread's; otherwise DH_NO_STEP */
  uint32_t mutex;  /* of WAIT_BEGIN and WAIT_END: the number of that object */
  uint32_t next;   /* the next step of the thread that is no ATOMIC, or DH_NO_STEP */
  uint32_t padding;
};
_Static_assert(sizeof(struct dh_step) == 24, "step");

enum dh_step_flag {
  DH_STEP_LAPSED = 1,   /* WAIT_END: without a signal, by its time limit or a cancellation */
  DH_STEP_OPTIONAL = 2, /* left out, in its turn, if the thread does something else */
};

/* ---- what clones know of struct dh_thread (agent/thread.h asserts it) ---- */

#define DH_THREAD_CURSOR 0
#define DH_THREAD_LIMIT 8
#define DH_THREAD_SPILL 16
#define DH_THREAD_SPILLS 4
#define DH_RAW_BUFFER 32768 /* bytes of raw records before they must be drained */
#define DH_RAW_LARGEST 1024 /* no raw record is larger: `limit` leaves room for one */

/* ---- sampling ---- */

/*
 * The control file is mapped by deadheat and by all processes of a run. Beside it are the channel, called
 * `processes`, and the logs. deadheat may change `on`, `event` and `period` while the program runs: threads
 * heed them at their next sample. Threads that are not sampled when it is turned on learn of it by their next
 * allocation or synchronisation, or by DH_SAMPLING_SIGNAL, which one thread of each process is sent with
 * DH_SAMPLING_COOKIE as its value.
 *
 * Times are ticks of `clock`. Each log holds pairs of a tick and of CLOCK_MONOTONIC.
 */
struct dh_sampling_control {
  uint32_t magic;
  uint32_t protocol;
  uint32_t options; /* enum dh_sampling_option, set by deadheat as all that follows up to max_log */
  uint32_t on;      /* 1: threads are sampled */
  uint32_t event;   /* enum dh_sampling_event */
  uint32_t clock;   /* enum dh_sampling_clock */
  uint64_t period;  /* randomised around this: nanoseconds of the thread's processor time, or events */
  uint32_t perf_type; /* of DH_EVENT_PERF: as in struct perf_event_attr, with the precision it is asked for */
  uint32_t perf_precise;
  uint64_t perf_config;
  uint32_t stack_words; /* return addresses with each sample, at most DH_STACK_WORDS_MAX */
  uint32_t padding;
  uint64_t max_log; /* bytes of all logs together: no more is logged then */

  uint64_t logged;          /* bytes of all logs so far */
  uint64_t samples;         /* that were logged */
  uint64_t missed;          /* that were not, because the thread was in the middle of logging something else */
  uint64_t handler_ns;      /* of processor time, spent in handling the signal */
  uint64_t lock_operations; /* until each thread's latest sample, or its end: locks, let go or got */
  uint64_t allocations;     /* the same: blocks that were allocated or freed */
  uint64_t syncs;           /* the same: SYNC records, */
  uint64_t silent_syncs;    /* and operations that had nothing new to tell */
};
_Static_assert(sizeof(struct dh_sampling_control) == 128, "sampling control");

#define DH_SAMPLING_SIGNAL 16 /* SIGSTKFLT, which nobody uses */
#define DH_SAMPLING_COOKIE 0x44485350 /* "PSHD": look at the control */
#define DH_SAMPLE_NOW_COOKIE 0x4448534e /* "NSHD": a sample is to be taken, as if its time had come: for tests */
#define DH_STACK_WORDS_MAX 64
#define DH_LOCKS_MAX 32
#define DH_ODD_LOCK 0x1000000000000 /* in place of a lock's bit 0, which is taken: no address, and below 2^53 */

enum dh_sampling_option {
  DH_SAMPLING_NO_ALLOCATIONS = 1, /* for measuring what each part costs: no MEMORY, */
  DH_SAMPLING_NO_SIGNALS = 2,     /* no samples */
};

enum dh_sampling_event {
  DH_EVENT_TIMER = 0, /* a timer of the thread's own processor time */
  DH_EVENT_PERF = 1,
};

enum dh_sampling_clock {
  DH_CLOCK_MONOTONIC = 0, /* nanoseconds */
  DH_CLOCK_TSC = 1,
};

/*
 * Records of logs; the first word has the kind in bits 0-7. A zero word ends the window.
 *
 * DH_SAMPLED_ACCESS [kind | flags << 8 | locks << 16 | stack words << 24 | taken << 32, time, rip, rax rcx rdx rbx
 *                   rsp rbp rsi rdi r8 … r15, locks, stack]
 *                                     taken: how many locks the thread had taken by then, modulo 2^32
 *                                     locks (8 bits): an address each, bit 0 is set if others may share it (see
 *                                     DH_ODD_LOCK for addresses that have it themselves); the
 *                                     same one twice if it was taken twice. Stack (8 bits): return addresses,
 *                                     innermost first
 * DH_SAMPLED_MEMORY [kind | count << 16, time, blocks]
 *                                     time: of the first, the others came before the thread's next record. A
 *                                     block (at most DH_BLOCKS_MAX): its address >> 4 | freed << 43 | size << 44;
 *                                     sizes are rounded up to units of 16 bytes, or of 64 KiB with
 *                                     DH_BLOCK_LARGE; 0: not known, as always when it is freed
 * DH_SAMPLED_SYNC   [kind | op << 8, time, object, extra]
 *                                     op: enum dh_op; extra as there. Only what makes samples known to a thread that
 *                                     did not know of them (sampling/news.h). A mutex that conditions are waited for
 *                                     with is told as POST (let go) and WAIT_DONE (taken). epoll is told as POST (before epoll_ctl)
 *                                     and WAIT_DONE (for each event): the object has DH_EPOLL_OBJECT set
 * DH_SAMPLED_CLOCK  [kind, tick, CLOCK_MONOTONIC, the thread's processor time]
 *                                     at the start and the end of a log, and when sampling is switched; all but
 *                                     the tick in nanoseconds
 * DH_SAMPLED_BASE   [kind, fs, gs, lowest address of the stack, its end]
 *                                     first of all; the stack's are 0 if they are not known
 * DH_SAMPLED_SWITCH [kind | on << 8, time]
 *                                     this thread is logged from here on, or was until here. In between, nothing
 *                                     is known: memory may have been used anew, threads may have met
 *
 * A thread that does nothing but begin and end has no log.
 */
enum dh_sampled_kind {
  DH_SAMPLED_ACCESS = 1,
  DH_SAMPLED_MEMORY = 2,
  DH_SAMPLED_SYNC = 3,
  DH_SAMPLED_CLOCK = 4,
  DH_SAMPLED_BASE = 5,
  DH_SAMPLED_SWITCH = 6,
};

/* Words of each, without what varies in number. */
#define DH_SAMPLED_ACCESS_WORDS 19
#define DH_SAMPLED_MEMORY_WORDS 2
#define DH_SAMPLED_SYNC_WORDS 4
#define DH_SAMPLED_CLOCK_WORDS 4
#define DH_SAMPLED_BASE_WORDS 5
#define DH_SAMPLED_SWITCH_WORDS 2

enum dh_sample_flag {
  DH_SAMPLE_HARDWARE = 1,   /* the registers of a hardware record; that of the signal follows */
  DH_SAMPLE_IN_LOCK = 2,    /* a lock operation was under way: the locks are not to be relied upon */
  DH_SAMPLE_MORE_LOCKS = 4, /* more were held than DH_LOCKS_MAX */
  DH_SAMPLE_IN_KERNEL = 8,  /* in a system call: the instruction before has been executed */
};

#define DH_BLOCKS_MAX 32
#define DH_BLOCK_FREED_SHIFT 43
#define DH_BLOCK_SIZE_SHIFT 44
#define DH_BLOCK_LARGE 0x80000 /* in the 20 bits of a size */
#define DH_EPOLL_OBJECT 0x8000000000000000 /* | epoll descriptor << 48 (15 bits) | data (48 bits) */

#endif
