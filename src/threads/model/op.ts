/**
 * What a thread can do in a trace. An event is four numbers, { thread, op, target, site }; what the
 * target is depends on the op:
 *
 *   worker  write    counter   stack.c:14     target: a variable
 *   worker  release  m         stack.c:15     target: a lock
 *   main    join     worker    main.c:30      target: a thread
 *
 * Rules that whoever makes a trace keeps, and whoever reads it may rely on:
 *
 * - Events stand in one order, in which every thread's own are in the order of its program.
 * - A wait for a condition is four events, so that a lock is never let go of in silence:
 *   wait-begin(c) release(m) … acquire(m) wait-end(c).
 * - A lock that is taken again by its holder is acquired twice, and held until the second release. That
 *   goes for shared acquires too; who holds a lock in one way does not acquire it in the other.
 * - begin and end have their own thread as target. They may be missing, as may be the fork of a thread
 *   that ran before the trace began.
 * - A variable is a range of bytes that no other variable overlaps; memory that was freed and allocated
 *   again is another variable.
 * - process-fork has the first thread of the new process as target; its memory is its own.
 *
 * The numbers are on disk: never change one, add at the end (and raise the format, see family.ts).
 */
export const Op = {
  read: 0,
  write: 1,
  atomicRead: 2,
  atomicWrite: 3,
  /** Reads and writes in one step: xchg, lock add. */
  atomicUpdate: 4,
  acquire: 5,
  release: 6,
  acquireShared: 7,
  releaseShared: 8,
  waitBegin: 9,
  waitEnd: 10,
  signal: 11,
  broadcast: 12,
  post: 13,
  waitDone: 14,
  arrive: 15,
  leave: 16,
  onceBegin: 17,
  onceEnd: 18,
  /** The initialisation had been done before, or by another thread meanwhile. */
  oncePass: 19,
  fork: 20,
  join: 21,
  begin: 22,
  end: 23,
  detach: 24,
  allocate: 25,
  free: 26,
  processFork: 27,
} as const;
export type Op = (typeof Op)[keyof typeof Op];

/** Which table a target is a row of. */
export type TargetKind = 'variable' | 'lock' | 'thread' | 'allocation';

/** By number: the name that people read, and what the target is. */
const described: readonly (readonly [name: string, target: TargetKind])[] = [
  ['read', 'variable'],
  ['write', 'variable'],
  ['atomic-read', 'variable'],
  ['atomic-write', 'variable'],
  ['atomic-update', 'variable'],
  ['acquire', 'lock'],
  ['release', 'lock'],
  ['acquire-shared', 'lock'],
  ['release-shared', 'lock'],
  ['wait-begin', 'lock'],
  ['wait-end', 'lock'],
  ['signal', 'lock'],
  ['broadcast', 'lock'],
  ['post', 'lock'],
  ['wait-done', 'lock'],
  ['arrive', 'lock'],
  ['leave', 'lock'],
  ['once-begin', 'lock'],
  ['once-end', 'lock'],
  ['once-pass', 'lock'],
  ['fork', 'thread'],
  ['join', 'thread'],
  ['begin', 'thread'],
  ['end', 'thread'],
  ['detach', 'thread'],
  ['allocate', 'allocation'],
  ['free', 'allocation'],
  ['process-fork', 'thread'],
];

export const opNames: readonly string[] = described.map(([name]) => name);
export const targetKinds: readonly TargetKind[] = described.map(([, target]) => target);
export const opCount = described.length;

export function isAccess(op: number): boolean {
  return op <= Op.atomicUpdate;
}

/** Whether it puts something into the variable. */
export function isStore(op: number): boolean {
  return op === Op.write || op === Op.atomicWrite || op === Op.atomicUpdate;
}

/** Where there is nothing to point to: a site that is not known, a variable outside all allocations. */
export const NONE = 0xffffffff;
