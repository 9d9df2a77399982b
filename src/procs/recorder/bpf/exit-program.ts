/**
 * Runs when any task leaves a system call: sys_exit(struct pt_regs *registers, long result). Adds
 * what is known only now to what enter-program.ts has noted, and sends it as one event.
 *
 *   openat(AT_FDCWD, "log", O_CREAT)   the new descriptor's file; the path, if it was not in memory
 *   waitid(P_ALL, 0, &info, WEXITED)   whom it collected, from info
 *
 * A call that seccomp refuses is left without having been entered; of those that our own filter
 * refuses, everything is noted here.
 */

import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { errnoNumber } from '../../../linux/errno.ts';
import { SI_PID_AT } from '../../../linux/signals.ts';
import { syscallNumber } from '../../../linux/syscalls.ts';
import { REFUSED } from '../../model/recorded/unrecorded.ts';
import { clearCall, clearData, sendCall } from './call-event.ts';
import { CALLS, CallFlag, CallShape, SHAPE_SHIFT } from './call-table.ts';
import { copyData, describePair } from './data-fragments.ts';
import { describeDescriptor, notePosition } from './file-fragments.ts';
import { end, findCurrentTask, OUT, stampEntry } from './fragments.ts';
import { goOnWithInput } from './input-program.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { CallEvent, PathLength, Phase, TaskState } from './layout.ts';
import { copyPath, PATH_PLACES } from './path-fragments.ts';
import type { RecorderMaps } from './recorder-maps.ts';
import { noteConnected } from './socket-fragments.ts';

/** Where what the tracepoint passed is kept. */
const CONTEXT = -48;
const REGISTERS = 0;
const RESULT = 8;
/** orig_ax in `struct pt_regs`: the number of the call. */
const NUMBER_AT = 120;

/** In-kernel results of a call that a signal broke off and that may be entered again, <linux/errno.h>. */
const RESTARTS = [-512, -513];
/** The same, but after a handler the program gets EINTR. */
const RESTARTS_WITHOUT_HANDLER = [-514, -516];
const EINTR = errnoNumber('EINTR') ?? 0;
const ENOSYS = errnoNumber('ENOSYS') ?? 0;

export function exitProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1').store(8, 'fp', CONTEXT, 'r1');
  findCurrentTask(a, maps);
  a.load(8, 'r9', 'r6', RESULT);
  a.load(4, 'r1', 'r7', TaskState.phase).jumpIf('r1', '!=', Phase.inCall, 'not entered');
  for (const code of RESTARTS) a.jumpIf('r9', '==', code, 'interrupted');
  a.move('r6', Phase.outsideCalls);
  for (const code of RESTARTS_WITHOUT_HANDLER) a.jumpIf('r9', '==', code, 'may be over');
  a.label('ended').store(8, 'r7', CallEvent.result, 'r9').store(4, 'r7', TaskState.phase, 'r6');
  a.load(4, 'r1', 'r7', CallEvent.number).jumpIf('r1', '>', CALLS - 1, OUT);
  a.shiftLeft('r1', SHAPE_SHIFT).moveMapValue('r8', maps.calls).add('r8', 'r1');
  retryPaths(a, maps);
  describeOpened(a, offsets);
  noteCollected(a);
  clearData(a);
  notePosition(a, offsets);
  copyData(a);
  describePair(a, offsets);
  a.load(4, 'r1', 'r7', TaskState.phase).jumpIf('r1', '!=', Phase.outsideCalls, OUT);
  noteConnected(a, maps);
  goOnWithInput(a, maps, CONTEXT);
  sendCall(a, maps);
  a.jump(OUT);
  a.label('interrupted').store(4, 'r7', TaskState.phase, Phase.interrupted).jump(OUT);
  a.label('may be over').move('r6', Phase.brokenOff).move('r9', -EINTR).jump('ended');
  noteRefused(a, maps);
  end(a);
  return a.assemble();
}

function retryPaths(a: BpfAssembler, maps: RecorderMaps): void {
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.replacesMemory);
  a.jumpIf('r1', '==', 0, 'retry').jumpIf('r9', '==', 0, 'paths read').label('retry');
  for (const place of PATH_PLACES) {
    const isRead = a.newLabel('is read');
    a.load(4, 'r1', 'r7', place.length).jumpIf('r1', '!=', PathLength.unread, isRead);
    copyPath(a, maps, place, PathLength.none);
    a.label(isRead);
  }
  a.label('paths read');
}

function describeOpened(a: BpfAssembler, offsets: KernelOffsets): void {
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.opens);
  a.jumpIf('r1', '==', 0, 'nothing opened');
  a.load(8, 'r9', 'r7', CallEvent.result).jumpIf('r9', 's<', 0, 'nothing opened');
  describeDescriptor(a, offsets, CallEvent.file2, true);
  a.label('nothing opened');
}

function noteCollected(a: BpfAssembler): void {
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.isWaitid);
  a.jumpIf('r1', '==', 0, 'nobody collected');
  a.load(8, 'r1', 'r7', CallEvent.result).jumpIf('r1', '!=', 0, 'nobody collected');
  a.load(8, 'r3', 'r7', CallEvent.args + 2 * 8).jumpIf('r3', '==', 0, 'nobody collected');
  a.add('r3', SI_PID_AT).move('r1', 'r7').add('r1', CallEvent.collected).move('r2', 4);
  a.callHelper('probe_read_user').label('nobody collected');
}

/** r9 is the result, r6 still what the tracepoint passed. */
function noteRefused(a: BpfAssembler, maps: RecorderMaps): void {
  const numbers = REFUSED.map(syscallNumber);
  a.label('not entered').jumpIf('r9', '!=', -ENOSYS, OUT);
  a.load(8, 'r6', 'r6', REGISTERS).load(8, 'r6', 'r6', NUMBER_AT);
  for (const number of numbers) a.jumpIf('r6', '==', number, 'refused');
  a.jump(OUT).label('refused').store(4, 'r7', CallEvent.number, 'r6');
  a.store(8, 'r7', CallEvent.result, 'r9').store(4, 'r7', TaskState.phase, Phase.outsideCalls);
  for (let index = 0; index < 6; index++) a.store(8, 'r7', CallEvent.args + 8 * index, 0);
  clearCall(a);
  stampEntry(a, maps, CallEvent.entry, CallEvent.enteredAt);
  sendCall(a, maps);
}
