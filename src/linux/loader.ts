/**
 * Where a traced program begins, and where its loader tells debuggers that libraries have come or gone: what
 * the kernel and the C library leave in a process for that.
 *
 *   /proc/PID/auxv                AT_ENTRY: the program's first instruction, after the loader is done
 *   DT_DEBUG → struct r_debug     r_brk: an empty function that the loader calls before and after each change,
 *                                 r_state: which of the two it is, <link.h>
 */
import { readFileSync } from 'node:fs';
import { type Pid, type Tid, type TraceeAddress, traceeAddress } from './ids.ts';
import { readMemory } from './process-memory.ts';

/** Source: <linux/auxvec.h>, <elf.h>, <link.h>. */
const AT_ENTRY = 9n;
const AT_NULL = 0n;
const DT_NULL = 0n;
const DT_DEBUG = 21n;
const R_BRK_AT = 16n;
const R_STATE_AT = 24n;
const RT_DELETE = 2;

const PAIR = 16;
const MOST_PAIRS = 512;

/** undefined if the process is gone. */
export function programEntry(process: Pid): TraceeAddress | undefined {
  const vector = readFileSync(`/proc/${process}/auxv`);
  for (let at = 0; at + PAIR <= vector.length; at += PAIR) {
    const tag = vector.readBigUInt64LE(at);
    if (tag === AT_ENTRY) return traceeAddress(vector.readBigUInt64LE(at + 8));
    if (tag === AT_NULL) break;
  }
  return undefined;
}

/** `dynamic`: where the executable's table of that name is; undefined if it does not say. */
export function loaderCallback(task: Tid, dynamic: TraceeAddress): TraceeAddress | undefined {
  const state = loaderData(task, dynamic);
  const callback = state && readMemory(task, traceeAddress(state + R_BRK_AT), 8);
  return callback?.length === 8 ? traceeAddress(callback.readBigUInt64LE()) : undefined;
}

/** At the callback: whether libraries are about to go. */
export function areLibrariesGoing(task: Tid, dynamic: TraceeAddress): boolean {
  const state = loaderData(task, dynamic);
  const word = state && readMemory(task, traceeAddress(state + R_STATE_AT), 4);
  return word?.length === 4 && word.readInt32LE() === RT_DELETE;
}

/** The loader's struct r_debug. */
function loaderData(task: Tid, dynamic: TraceeAddress): TraceeAddress | undefined {
  const table = readMemory(task, dynamic, MOST_PAIRS * PAIR);
  for (let at = 0; at + PAIR <= table.length; at += PAIR) {
    const tag = table.readBigUInt64LE(at);
    if (tag === DT_NULL) return undefined;
    if (tag === DT_DEBUG) return traceeAddress(table.readBigUInt64LE(at + 8));
  }
  return undefined;
}
