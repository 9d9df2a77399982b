/**
 * What clones know of the agent: where a thread's state has what (struct dh_thread of agent/thread.h), and
 * which of its functions they call (agent/stubs.S). A test compares these numbers with the header's.
 */
export const ThreadFieldAt = {
  /** Where the next record goes. */
  cursor: 0,
  /** From here on there is no room for the largest record; 0, like the cursor, before a thread was ever logged. */
  limit: 8,
  /** Registers that a clone needs for a moment. */
  spill0: 16,
  spill1: 24,
  spill2: 32,
  /** A computed jump's target, before and after its translation. */
  target: 40,
} as const;
export type ThreadField = keyof typeof ThreadFieldAt;

/** The blob begins with the addresses of the agent's functions, eight bytes each. */
export const SlotAt = {
  /** Empties the buffer. */
  full: 0,
  /** Before and after an access that gets a number in the order. */
  orderedBegin: 8,
  orderedEnd: 16,
  /** From an address of the image in `target` to that of the clone, if there is one. */
  translate: 24,
} as const;
export const SLOTS_SIZE = 64;

/** Of a record's first word, what is the group's number; the rest says how many values follow. */
export const GROUP_BITS = 27;

/** What a leaf function may use below its stack pointer. */
export const REDZONE = 128;
