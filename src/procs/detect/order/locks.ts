/**
 * File locks (flock, and fcntl's) as order: whoever gets a lock comes after all that its earlier
 * holders did under it. When they let go of it is not recorded (closing the file or ending is
 * enough), so all that they have done until then counts, which may hide a race but never invents
 * one.
 *
 *   ( flock 9; n=$(cat counter); echo $((n + 1)) >counter ) 9>lock
 *
 * Here flock(1) takes the lock for its parent, through a descriptor it was given; so a holder's
 * parent counts as a holder too.
 */

import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid } from '../../../linux/ids.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';

/** Source: <linux/fcntl.h>: F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW. */
const LOCKING_COMMANDS = new Set([6, 7, 37, 38]);
/** Source: <linux/fcntl.h>. */
const LOCK_UN = 8;
const F_UNLCK = 2;

export class Locks {
  readonly #holders = new Map<string, Set<Pid>>();

  /** The processes whose doings come before this call, if it takes a lock; notes its own. */
  takenBy(call: CallRecord, process: Pid, parent: Pid | undefined): Pid[] {
    const lock = lockOf(call);
    if (lock === undefined) return [];
    const holders = this.#holders.get(lock) ?? new Set();
    const earlier = [...holders].filter((holder) => holder !== process && holder !== parent);
    holders.add(process);
    if (parent !== undefined) holders.add(parent);
    this.#holders.set(lock, holders);
    return earlier;
  }
}

function lockOf(call: CallRecord): string | undefined {
  const { number, args, file, result } = call;
  if (result < 0 || file === undefined) return undefined;
  const name = syscallName(number);
  const operation = args[1] ?? 0;
  const locks =
    name === 'flock'
      ? (operation & LOCK_UN) === 0
      : name === 'fcntl' && LOCKING_COMMANDS.has(operation) && !unlocks(call);
  return locks ? `${file.device}:${file.inode}` : undefined;
}

/** `l_type` comes first in `struct flock`. Which bytes of the file are locked is not looked at. */
function unlocks({ data }: CallRecord): boolean {
  return data !== undefined && encodeBytes(data).readInt16LE(0) === F_UNLCK;
}
