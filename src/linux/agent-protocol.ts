/** The numbers of agent/deadheat.h, for this side of the channel. A test compares the two. */
export const AgentProtocol = {
  DH_PROTOCOL: 4,
  DH_MAGIC: 0x5441_4548,
  DH_LOG_MAGIC: 0x474f_4c44,
  DH_SCHEDULE_MAGIC: 0x4843_5344,
  DH_SAMPLING_MAGIC: 0x4c50_4d53,
  DH_CHANNEL_VARIABLE: 'DEADHEAT_CHANNEL',
  DH_SAMPLING_VARIABLE: 'DEADHEAT_SAMPLING',
  DH_SAMPLING_CHANNEL: 'processes',
} as const;

export const AgentOption = {
  DH_OPTION_SYNC_ONLY: 1,
  DH_OPTION_LOG: 2,
  DH_OPTION_RANGES: 4,
  DH_OPTION_SCHEDULE: 8,
} as const;

export const AgentKind = {
  DH_KIND_NONE: 0,
  DH_KIND_HELLO: 1,
  DH_KIND_MODULE: 2,
  DH_KIND_THREAD: 3,
  DH_KIND_PROBLEM: 4,
  DH_KIND_IMAGE: 5,
} as const;

export const AgentProblem = {
  DH_PROBLEM_LOG_STOPPED: 1,
  DH_PROBLEM_TOO_MANY_THREADS: 2,
  DH_PROBLEM_BLOB: 3,
  DH_PROBLEM_LOG_LIMIT: 4,
  DH_PROBLEM_NO_EVENT: 5,
  DH_PROBLEM_FOREIGN_UNLOCK: 6,
} as const;

/** Kinds of records in a thread's log. */
export const LogKind = {
  DH_LOG_END: 0,
  DH_LOG_ACCESS: 1,
  DH_LOG_RANGE: 2,
  DH_LOG_RUN: 3,
  DH_LOG_EARLIER: 4,
  DH_LOG_SYNC: 5,
  DH_LOG_MEMORY: 6,
  DH_LOG_ATOMIC: 7,
  DH_LOG_WAIT: 8,
  DH_LOG_SITE: 9,
  DH_LOG_PAIR: 10,
  DH_LOG_PAIR_FROM_OTHER: 11,
  DH_LOG_PAIR_TO_OTHER: 12,
  DH_LOG_PAIR_BETWEEN_OTHERS: 13,
} as const;

export const AccessFlag = {
  DH_READ: 1,
  DH_WRITE: 2,
  DH_ATOMIC: 4,
} as const;

export const LogOp = {
  DH_OP_NONE: 0,
  DH_OP_ACQUIRE: 1,
  DH_OP_RELEASE: 2,
  DH_OP_ACQUIRE_SHARED: 3,
  DH_OP_RELEASE_SHARED: 4,
  DH_OP_WAIT_BEGIN: 5,
  DH_OP_WAIT_END: 6,
  DH_OP_SIGNAL: 7,
  DH_OP_BROADCAST: 8,
  DH_OP_POST: 9,
  DH_OP_WAIT_DONE: 10,
  DH_OP_ARRIVE: 11,
  DH_OP_LEAVE: 12,
  DH_OP_ONCE_BEGIN: 13,
  DH_OP_ONCE_END: 14,
  DH_OP_ONCE_PASS: 15,
  DH_OP_FORK: 16,
  DH_OP_BEGIN: 17,
  DH_OP_END: 18,
  DH_OP_JOIN: 19,
  DH_OP_DETACH: 20,
  DH_OP_CANCEL: 21,
  DH_OP_INIT: 22,
  DH_OP_DESTROY: 23,
  DH_OP_ALLOCATE: 24,
  DH_OP_FREE: 25,
  DH_OP_PROCESS_FORK: 26,
  DH_OP_ATOMIC: 27,
} as const;

/** What `extra` says of a lock: its kind, and how it was taken. */
export const LockBits = {
  DH_LOCK_MUTEX: 1,
  DH_LOCK_RWLOCK: 2,
  DH_LOCK_SPIN: 3,
  DH_LOCK_CONDITION: 4,
  DH_LOCK_SEMAPHORE: 5,
  DH_LOCK_BARRIER: 6,
  DH_LOCK_TRY: 0x100,
  DH_LOCK_TIMED: 0x200,
  DH_LOCK_DEAD: 0x400,
} as const;

/** In the size of a MEMORY record: the other 31 bits count pages of 4096 bytes. */
export const DH_SIZE_PAGES = 0x8000_0000;

/** Where there is no step, no object: in a schedule. */
export const DH_NO_STEP = 0xffff_ffff;

/** Why a schedule's gates are open. */
export const GateOpen = {
  DH_OPEN_NOT: 0,
  DH_OPEN_BY_DEADHEAT: 1,
  DH_OPEN_DIVERGED: 2,
  DH_OPEN_ORPHANED: 3,
  DH_OPEN_LATE: 4,
} as const;

export const GateState = {
  DH_GATE_NOWHERE: 0,
  DH_GATE_RUNNING: 1,
  DH_GATE_WAITING: 2,
  DH_GATE_HELD: 3,
  DH_GATE_ENDED: 4,
} as const;

export const StepFlag = {
  DH_STEP_LAPSED: 1,
  DH_STEP_OPTIONAL: 2,
} as const;

/** What clones know of struct dh_thread. */
export const AgentThread = {
  DH_THREAD_CURSOR: 0,
  DH_THREAD_LIMIT: 8,
  DH_THREAD_SPILL: 16,
  DH_THREAD_SPILLS: 4,
  DH_RAW_BUFFER: 32768,
  DH_RAW_LARGEST: 1024,
} as const;

/** sizeof(struct dh_channel) and offsets of its fields. */
export const CHANNEL_SIZE = 64;
export const ChannelAt = {
  magic: 0,
  protocol: 4,
  capacity: 8,
  reserved: 16,
  options: 24,
  processes: 28,
} as const;

/** sizeof(struct dh_record) and offsets of its fields. */
export const RECORD_SIZE = 8;
export const RecordAt = { kind: 0, size: 4 } as const;

/** Offsets in struct dh_hello. */
export const HelloAt = {
  pid: 8,
  protocol: 12,
  process: 16,
  parent_pid: 20,
  parent_process: 24,
  path_length: 28,
  path: 32,
} as const;

/** Offsets in struct dh_module. */
export const ModuleAt = {
  process: 8,
  site_base: 12,
  load_base: 16,
  blob_base: 24,
  patched: 32,
  refused: 36,
  id_length: 40,
  path_length: 44,
  id_and_path: 48,
} as const;

/** Offsets in struct dh_image. */
export const ImageAt = {
  process: 8,
  id_length: 12,
  time: 16,
  load_base: 24,
  begin: 32,
  end: 40,
  is_gone: 48,
  path_length: 52,
  id_and_path: 56,
} as const;

/** Offsets in struct dh_thread_name. */
export const ThreadNameAt = { process: 8, thread: 12, tid: 16, name_length: 20, name: 24 } as const;

/** Offsets in struct dh_problem. */
export const ProblemAt = {
  process: 8,
  thread: 12,
  seq: 16,
  what: 24,
  error: 28,
  text_length: 32,
  text: 40,
} as const;

/** sizeof(struct dh_log_header) and offsets of its fields. */
export const LOG_HEADER_SIZE = 64;
export const LogHeaderAt = {
  magic: 0,
  protocol: 4,
  process: 8,
  pid: 12,
  tid: 16,
  thread: 20,
  time: 24,
  name: 32,
  flushed: 48,
  window_start: 56,
} as const;
/** Where the records begin that no longer fit into the window. */
export const DH_LOG_WINDOW = 65536;

/** sizeof(struct dh_schedule) and offsets of its fields. */
export const SCHEDULE_SIZE = 128;
export const ScheduleAt = {
  magic: 0,
  protocol: 4,
  process: 8,
  pid: 12,
  deadline: 16,
  threads: 24,
  announced: 28,
  objects: 32,
  steps: 36,
  turn: 64,
  changes: 68,
  open: 72,
  diverged: 76,
  diverged_thread: 80,
  diverged_turn: 84,
  diverged_op: 88,
  diverged_object: 96,
  diverged_caller: 104,
} as const;

/** sizeof(struct dh_scheduled_thread) and offsets of its fields. */
export const SCHEDULED_THREAD_SIZE = 64;
export const ScheduledThreadAt = {
  next: 0,
  done: 4,
  tid: 8,
  state: 12,
  free: 16,
  races: 20,
  op: 24,
  object: 32,
  caller: 40,
} as const;

/** sizeof(struct dh_scheduled_object) and offsets of its fields. */
export const SCHEDULED_OBJECT_SIZE = 16;
export const ScheduledObjectAt = { address: 0, last_turn: 8 } as const;

/** sizeof(struct dh_step) and offsets of its fields. */
export const STEP_SIZE = 24;
export const StepAt = { thread: 0, op: 4, flags: 6, object: 8, mutex: 12, next: 16 } as const;

/** sizeof(struct dh_sampling_control) and offsets of its fields. */
export const SAMPLING_CONTROL_SIZE = 128;
export const SamplingControlAt = {
  magic: 0,
  protocol: 4,
  options: 8,
  on: 12,
  event: 16,
  clock: 20,
  period: 24,
  perf_type: 32,
  perf_precise: 36,
  perf_config: 40,
  stack_words: 48,
  max_log: 56,
  logged: 64,
  samples: 72,
  missed: 80,
  handler_ns: 88,
  lock_operations: 96,
  allocations: 104,
  syncs: 112,
  silent_syncs: 120,
} as const;

export const SamplingOption = {
  DH_SAMPLING_NO_ALLOCATIONS: 1,
  DH_SAMPLING_NO_SIGNALS: 2,
} as const;

export const SamplingEvent = { DH_EVENT_TIMER: 0, DH_EVENT_PERF: 1 } as const;

export const SamplingClock = { DH_CLOCK_MONOTONIC: 0, DH_CLOCK_TSC: 1 } as const;

export const SamplingNumbers = {
  DH_SAMPLING_SIGNAL: 16,
  DH_SAMPLING_COOKIE: 0x4448_5350,
  DH_SAMPLE_NOW_COOKIE: 0x4448_534e,
  DH_STACK_WORDS_MAX: 64,
  DH_LOCKS_MAX: 32,
  DH_ODD_LOCK: 0x1_0000_0000_0000,
  DH_BLOCKS_MAX: 32,
  DH_BLOCK_FREED_SHIFT: 43,
  DH_BLOCK_SIZE_SHIFT: 44,
  DH_BLOCK_LARGE: 0x8_0000,
} as const;

/** In the object of a SYNC record: it is an epoll descriptor << 48 and the 48 bits of its data. */
export const DH_EPOLL_OBJECT = 0x8000_0000_0000_0000n;

/** Kinds of records in the log of a thread that is sampled. */
export const SampledKind = {
  DH_SAMPLED_ACCESS: 1,
  DH_SAMPLED_MEMORY: 2,
  DH_SAMPLED_SYNC: 3,
  DH_SAMPLED_CLOCK: 4,
  DH_SAMPLED_BASE: 5,
  DH_SAMPLED_SWITCH: 6,
} as const;

/** Words of each, without what varies in number. */
export const SampledWords = {
  DH_SAMPLED_ACCESS_WORDS: 19,
  DH_SAMPLED_MEMORY_WORDS: 2,
  DH_SAMPLED_SYNC_WORDS: 4,
  DH_SAMPLED_CLOCK_WORDS: 4,
  DH_SAMPLED_BASE_WORDS: 5,
  DH_SAMPLED_SWITCH_WORDS: 2,
} as const;

export const SampleFlag = {
  DH_SAMPLE_HARDWARE: 1,
  DH_SAMPLE_IN_LOCK: 2,
  DH_SAMPLE_MORE_LOCKS: 4,
  DH_SAMPLE_IN_KERNEL: 8,
} as const;
