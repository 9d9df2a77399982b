/*
 * What deadheat (TypeScript) and the agent (C, inside the target) agree on. This is the one place
 * where the channel, its records and the threads' logs are laid out; src/linux/agent-protocol.ts
 * states the same numbers, and a test compares the two.
 *
 * There are two ways out of the target:
 *
 * - The channel, for what is rare: one file for all processes of a run, that both sides map. It
 *   starts with struct dh_channel; records follow, each starting with struct dh_record. A writer
 *   reserves its bytes by adding to `reserved`, fills them in, and stores the kind last, so a reader
 *   that sees a kind sees a whole record.
 * - A log for each thread, for what is frequent: a file of 64-bit words beside the channel, called
 *   `<process>-<thread>.log`. Processes are numbered, because a pid does not tell one program from
 *   the next that the same process executes.
 */
#ifndef DEADHEAT_H
#define DEADHEAT_H

#include <stdint.h>

#define DH_PROTOCOL 3
#define DH_MAGIC 0x54414548     /* "HEAT": the channel */
#define DH_LOG_MAGIC 0x474f4c44 /* "DLOG": the log of a thread */

/* For variables that are used with each access: they are reached without a look at a table of addresses. */
#define DH_HIDDEN __attribute__((visibility("hidden")))

/* Environment variable that names the channel file. */
#define DH_CHANNEL_VARIABLE "DEADHEAT_CHANNEL"

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
};

enum dh_kind {
  DH_KIND_NONE = 0,
  DH_KIND_HELLO = 1,
  DH_KIND_MODULE = 2,
  DH_KIND_THREAD = 3,
  DH_KIND_PROBLEM = 4,
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

/* ---- what clones know of struct dh_thread (agent/thread.h asserts it) ---- */

#define DH_THREAD_CURSOR 0
#define DH_THREAD_LIMIT 8
#define DH_THREAD_SPILL 16
#define DH_THREAD_SPILLS 4
#define DH_RAW_BUFFER 32768 /* bytes of raw records before they must be drained */
#define DH_RAW_LARGEST 1024 /* no raw record is larger: `limit` leaves room for one */

#endif
