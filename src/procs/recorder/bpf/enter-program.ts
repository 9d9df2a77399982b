/**
 * Runs when any task enters a system call: sys_enter(struct pt_regs *registers, long number).
 * For a call that is recorded, everything that may change during the call is noted now, in the
 * task's state; what is then still missing is added by exit-program.ts.
 */
import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { clearCall, sendCall } from './call-event.ts';
import { CALLS, CallFlag, CallShape, NO_ARGUMENT, SHAPE_SHIFT, SKIPPED_BY } from './call-table.ts';
import { describeDescriptor, FileKind, loadFileKind } from './file-fragments.ts';
import { end, findCurrentTask, OUT, stampEntry } from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { CallEvent, PathLength, Phase, TaskState } from './layout.ts';
import { noteForeignCall } from './note-fragment.ts';
import { copyPath, describeStart, loadArgument, PATH_PLACES } from './path-fragments.ts';
import type { RecorderMaps } from './recorder-maps.ts';

/** Words of the tracepoint's arguments. */
const REGISTERS = 0;
const NUMBER = 8;

/** The arguments in `struct pt_regs`, <asm/ptrace.h>, whose layout never changes. */
const ARGUMENTS = { di: 112, si: 104, dx: 96, r10: 56, r8: 72, r9: 64 } as const;
const ARGUMENTS_AT = Object.values(ARGUMENTS);

/** TS_COMPAT, <asm/thread_info.h>: the call came through a 32-bit entry. */
const TS_COMPAT = 2;

export function enterProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1');
  findCurrentTask(a, maps);
  leaveForeignCalls(a, offsets);
  a.load(8, 'r9', 'r6', NUMBER).jumpIf('r9', '>', CALLS - 1, 'foreign');
  a.move('r1', 'r9').shiftLeft('r1', SHAPE_SHIFT).moveMapValue('r8', maps.calls).add('r8', 'r1');
  a.load(2, 'r1', 'r8', CallShape.flags).jumpIf('r1', '==', 0, OUT);
  a.load(8, 'r6', 'r6', REGISTERS);
  leaveSkipped(a);
  endInterrupted(a, maps);
  a.load(2, 'r1', 'r8', CallShape.flags).jumpIf('r1', '&', CallFlag.clones, 'clones');
  noteArguments(a);
  for (const place of PATH_PLACES) copyPath(a, maps, place, PathLength.unread);
  describeArgument(a, offsets, CallShape.file, CallEvent.file);
  leaveOtherFiles(a);
  describeArgument(a, offsets, CallShape.file2, CallEvent.file2);
  for (const place of PATH_PLACES) describeStart(a, offsets, place);
  stampEntry(a, maps, CallEvent.entry, CallEvent.enteredAt);
  a.store(4, 'r7', TaskState.phase, Phase.inCall).jump(OUT);
  noteClone(a);
  noteForeignCall(a, maps);
  end(a);
  return a.assemble();
}

/** 32-bit calls have numbers and arguments of their own, which are not recorded. */
function leaveForeignCalls(a: BpfAssembler, { task }: KernelOffsets): void {
  a.callHelper('get_current_task_btf').load(4, 'r1', 'r0', task.entryStatus);
  a.jumpIf('r1', '&', TS_COMPAT, 'foreign');
}

/** Those that are not recorded with these arguments, such as mmap of no file. */
function leaveSkipped(a: BpfAssembler): void {
  a.load(1, 'r1', 'r8', CallShape.skip).jumpIf('r1', '==', NO_ARGUMENT, 'not skipped');
  a.load(1, 'r3', 'r8', CallShape.skipBits).load(1, 'r4', 'r8', CallShape.skipUnless);
  for (const argument of SKIPPED_BY) {
    const other = a.newLabel('other');
    const hasBits = a.newLabel('has bits');
    a.jumpIf('r1', '!=', argument, other).load(8, 'r2', 'r6', ARGUMENTS_AT[argument]!);
    a.jumpIf('r4', '!=', 0, 'one of');
    a.jumpIf('r3', '!=', 0, hasBits).jumpIf('r2', '==', 0, OUT).jump('not skipped');
    a.label(hasBits).jumpIf('r2', '&', 'r3', OUT).label(other);
  }
  a.jump('not skipped');
  // The kernel looks at 32 bits of a clock's number.
  a.label('one of').shiftLeft('r2', 32).shiftRight('r2', 32).jumpIf('r2', '>', 7, OUT);
  a.shiftRight('r4', 'r2').and('r4', 1).jumpIf('r4', '==', 0, OUT);
  a.label('not skipped');
}

/**
 * The call that a signal broke off, entered again with the same arguments, keeps its first entry.
 * Otherwise it is over, and if it cannot go on after a handler, the program got EINTR from it.
 */
function endInterrupted(a: BpfAssembler, maps: RecorderMaps): void {
  a.load(2, 'r2', 'r8', CallShape.flags).and('r2', CallFlag.continues);
  a.load(4, 'r1', 'r7', TaskState.phase).jumpIf('r1', '==', Phase.brokenOff, 'broken off');
  a.jumpIf('r2', '!=', 0, OUT).jumpIf('r1', '!=', Phase.interrupted, 'new call').jump('compare');
  a.label('broken off').jumpIf('r2', '!=', 0, 'same call');
  a.label('compare').load(4, 'r1', 'r7', CallEvent.number).jumpIf('r1', '!=', 'r9', 'other call');
  for (const [index, at] of ARGUMENTS_AT.entries()) {
    a.load(8, 'r1', 'r7', CallEvent.args + 8 * index);
    a.load(8, 'r2', 'r6', at).jumpIf('r1', '!=', 'r2', 'other call');
  }
  a.label('same call').store(4, 'r7', TaskState.phase, Phase.inCall).jump(OUT);
  a.label('other call').load(4, 'r1', 'r7', TaskState.phase);
  a.jumpIf('r1', '!=', Phase.brokenOff, 'new call');
  a.store(4, 'r7', TaskState.phase, Phase.outsideCalls);
  sendCall(a, maps);
  a.label('new call');
}

function noteArguments(a: BpfAssembler): void {
  a.store(4, 'r7', CallEvent.number, 'r9');
  for (const [index, at] of ARGUMENTS_AT.entries()) {
    a.load(8, 'r1', 'r6', at).store(8, 'r7', CallEvent.args + 8 * index, 'r1');
  }
  clearCall(a);
}

/** The file of the argument whose index stands at `shape`, if there is one. */
function describeArgument(
  a: BpfAssembler,
  offsets: KernelOffsets,
  shape: number,
  at: number,
): void {
  const none = a.newLabel('no file');
  loadArgument(a, shape, none);
  a.move('r9', 'r0').shiftLeft('r9', 32).shiftRight('r9', 32);
  describeDescriptor(a, offsets, at);
  a.label(none);
}

/** Most files that are closed are of no interest; those where others may wait for the end are. */
function leaveOtherFiles(a: BpfAssembler): void {
  a.load(2, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.streamsOnly);
  a.jumpIf('r1', '==', 0, 'of interest');
  loadFileKind(a, 'r1', CallEvent.file);
  a.jumpIf('r1', '==', FileKind.pipe, 'of interest');
  a.jumpIf('r1', '==', FileKind.socket, 'of interest');
  a.store(4, 'r7', TaskState.phase, Phase.outsideCalls).jump(OUT).label('of interest');
}

/** For fork-program.ts, which runs inside of this call. */
function noteClone(a: BpfAssembler): void {
  a.label('clones').store(4, 'r7', TaskState.cloneNumber, 'r9');
  a.load(8, 'r1', 'r6', ARGUMENTS.di).store(8, 'r7', TaskState.cloneArgument, 'r1');
  a.store(4, 'r7', TaskState.phase, Phase.outsideCalls).jump(OUT);
}
