/**
 * Pieces of code that several programs hold. Registers have the same use in all of them:
 *
 *   r6   what the tracepoint passed to us (one word per argument), later a pointer that is followed
 *   r7   the task's state, or the event that is being made
 *   r8   the shape of the call (call-table.ts)
 *   r9   a descriptor or a length
 *
 * and so has the stack: KEY holds the key for look-ups, WORD what was read last. Everything a
 * program does ends at the label OUT.
 */

import type { BpfMap } from '../../../linux/bpf.ts';
import type { BpfAssembler, Register, Width } from '../../../linux/bpf-assembler.ts';
import {
  ENTRY_STAMP,
  EVENT_STAMP,
  type EventKind,
  Head,
  Phase,
  Shared,
  TaskState,
} from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

export const OUT = 'out';
export const KEY = -4;
export const WORD = -16;
/** The current task's number, and its process's above it, once `findCurrentTask` has run. */
export const CURRENT = -24;

const BPF_RB_NO_WAKEUP = 1;

/** r7 = the current task's state; out if it is not recorded, or not yet. */
export function findCurrentTask(a: BpfAssembler, maps: RecorderMaps): void {
  a.callHelper('get_current_pid_tgid').store(8, 'fp', CURRENT, 'r0').store(4, 'fp', KEY, 'r0');
  lookUp(a, maps.tasks);
  a.jumpIf('r0', '==', 0, OUT).move('r7', 'r0');
  a.load(4, 'r1', 'r7', TaskState.phase).jumpIf('r1', '==', Phase.beforeExec, OUT);
}

/** r0 = the address of the value for the key at KEY, or 0. */
export function lookUp(a: BpfAssembler, map: BpfMap): void {
  a.moveMap('r1', map).move('r2', 'fp').add('r2', KEY).callHelper('map_lookup_elem');
}

/** `to` = this CPU's room for a large event. */
export function findWorkspace(a: BpfAssembler, to: Register, maps: RecorderMaps): void {
  a.store(4, 'fp', KEY, 0);
  lookUp(a, maps.workspace);
  a.jumpIf('r0', '==', 0, OUT).move(to, 'r0');
}

/** Copies from the kernel address r3 + offset; goes to `otherwise` if that is not readable. */
export function readKernel(
  a: BpfAssembler,
  [base, at]: readonly [Register, number],
  width: number,
  offset: number,
  otherwise: string,
): void {
  a.add('r3', offset).move('r1', base).add('r1', at).move('r2', width);
  a.callHelper('probe_read_kernel').jumpIf('r0', '!=', 0, otherwise);
}

/** r3 = the pointer at r3 + offset, and so on for each offset. */
export function follow(a: BpfAssembler, offsets: readonly number[], otherwise: string): void {
  for (const offset of offsets) {
    readKernel(a, ['fp', WORD], 8, offset, otherwise);
    a.load(8, 'r3', 'fp', WORD).jumpIf('r3', '==', 0, otherwise);
  }
}

/** `to` = the number at r3 + offset. */
export function fetch(
  a: BpfAssembler,
  width: Width,
  to: Register,
  offset: number,
  otherwise: string,
): void {
  readKernel(a, ['fp', WORD], width, offset, otherwise);
  a.load(width, to, 'fp', WORD);
}

/** Makes what r7 points at an event of this kind, of the current task, happening now. */
export function stampEvent(
  a: BpfAssembler,
  maps: RecorderMaps,
  kind: (typeof EventKind)[keyof typeof EventKind],
): void {
  a.store(4, 'r7', Head.kind, kind).load(8, 'r1', 'fp', CURRENT).store(4, 'r7', Head.task, 'r1');
  takeStamp(a, maps, EVENT_STAMP, Head.stamp, Head.time);
}

/** For a call that begins: a sequence number, but no event of its own. */
export function stampEntry(a: BpfAssembler, maps: RecorderMaps, at: number, time: number): void {
  takeStamp(a, maps, ENTRY_STAMP, at, time);
}

/** Sends the event at r7 of `size` bytes (or r3 bytes); a stamped event must be sent or counted as dropped. */
export function sendEvent(a: BpfAssembler, maps: RecorderMaps, size: number | 'r3'): void {
  const sent = a.newLabel('sent');
  if (size !== 'r3') a.move('r3', size);
  a.moveMap('r1', maps.ring).move('r2', 'r7').move('r4', BPF_RB_NO_WAKEUP);
  a.callHelper('ringbuf_output').jumpIf('r0', '==', 0, sent);
  addShared(a, maps, Shared.dropped, 1);
  a.label(sent);
}

/** Adds to one of the counters that all programs share. */
export function addShared(a: BpfAssembler, maps: RecorderMaps, at: number, value: number): void {
  a.moveMapValue('r1', maps.shared).move('r2', value).fetchAdd('r1', at, 'r2');
}

export function end(a: BpfAssembler): void {
  a.label(OUT).move('r0', 0).exit();
}

function takeStamp(
  a: BpfAssembler,
  maps: RecorderMaps,
  step: bigint,
  at: number,
  timeAt: number,
): void {
  a.moveMapValue('r1', maps.shared).moveLong('r2', step).fetchAdd('r1', Shared.stamps, 'r2');
  a.store(8, 'r7', at, 'r2').callHelper('ktime_get_ns').store(8, 'r7', timeAt, 'r0');
}
