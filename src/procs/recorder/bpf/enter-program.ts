/**
 * Runs when any task enters a system call: sys_enter(struct pt_regs *registers, long number).
 * For a call that is recorded, everything that may change during the call is noted now, in the
 * task's state; what is then still missing is added by exit-program.ts.
 */
import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { CALLS, CallFlag, CallShape } from './call-table.ts';
import { describeDescriptor } from './file-fragments.ts';
import { end, findCurrentTask, OUT, stampEntry } from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { CallEvent, FileFields, PathLength, Phase, TaskState } from './layout.ts';
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
  a.move('r1', 'r9').shiftLeft('r1', 3).moveMapValue('r8', maps.calls).add('r8', 'r1');
  a.load(1, 'r1', 'r8', CallShape.flags).jumpIf('r1', '==', 0, OUT);
  a.load(8, 'r6', 'r6', REGISTERS);
  a.load(1, 'r1', 'r8', CallShape.flags).jumpIf('r1', '&', CallFlag.clones, 'clones');
  continueInterrupted(a);
  noteArguments(a);
  for (const place of PATH_PLACES) copyPath(a, maps, place, PathLength.unread);
  loadArgument(a, CallShape.file, 'no file');
  a.move('r9', 'r0').shiftLeft('r9', 32).shiftRight('r9', 32);
  describeDescriptor(a, offsets, CallEvent.file);
  a.label('no file');
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

/** The call that a signal broke off, entered again with the same arguments, keeps its first entry. */
function continueInterrupted(a: BpfAssembler): void {
  a.load(4, 'r1', 'r7', TaskState.phase).jumpIf('r1', '!=', Phase.interrupted, 'new call');
  a.load(4, 'r1', 'r7', CallEvent.number).jumpIf('r1', '!=', 'r9', 'new call');
  for (const [index, at] of ARGUMENTS_AT.entries()) {
    a.load(8, 'r1', 'r7', CallEvent.args + 8 * index);
    a.load(8, 'r2', 'r6', at).jumpIf('r1', '!=', 'r2', 'new call');
  }
  a.store(4, 'r7', TaskState.phase, Phase.inCall).jump(OUT).label('new call');
}

function noteArguments(a: BpfAssembler): void {
  a.store(4, 'r7', CallEvent.number, 'r9').store(4, 'r7', CallEvent.created, 0);
  for (const [index, at] of ARGUMENTS_AT.entries()) {
    a.load(8, 'r1', 'r6', at).store(8, 'r7', CallEvent.args + 8 * index, 'r1');
  }
  for (const file of [CallEvent.file, CallEvent.file2]) a.store(4, 'r7', file + FileFields.mode, 0);
  a.store(4, 'r7', CallEvent.length, PathLength.none);
  a.store(4, 'r7', CallEvent.length2, PathLength.none);
  a.store(4, 'r7', CallEvent.collected, 0);
}

/** For fork-program.ts, which runs inside of this call. */
function noteClone(a: BpfAssembler): void {
  a.label('clones').store(4, 'r7', TaskState.cloneNumber, 'r9');
  a.load(8, 'r1', 'r6', ARGUMENTS.di).store(8, 'r7', TaskState.cloneArgument, 'r1');
  a.store(4, 'r7', TaskState.phase, Phase.outsideCalls).jump(OUT);
}
