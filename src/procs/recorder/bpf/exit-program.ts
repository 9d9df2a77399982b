/**
 * Runs when any task leaves a system call: sys_exit(struct pt_regs *registers, long result). Adds
 * what is known only now to what enter-program.ts has noted, and sends it as one event.
 *
 *   openat(AT_FDCWD, "log", O_CREAT)   the new descriptor's file; the path, if it was not in memory
 *   waitid(P_ALL, 0, &info, WEXITED)   whom it collected, from info
 */
import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { CALLS, CallFlag, CallShape } from './call-table.ts';
import { describeDescriptor } from './file-fragments.ts';
import { end, findCurrentTask, OUT, sendEvent, stampEvent } from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { CallEvent, EventKind, PathLength, Phase, SHORT_PATH, TaskState } from './layout.ts';
import { copyPath, PATH_PLACES } from './path-fragments.ts';
import type { RecorderMaps } from './recorder-maps.ts';

const RESULT = 8;

/** In-kernel results of a call that a signal broke off and that may be entered again, <linux/errno.h>. */
const RESTARTS = [-512, -513, -514, -516];

/** offsetof(siginfo_t, si_pid), <asm-generic/siginfo.h>. */
const SI_PID_AT = 16;

export function exitProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1');
  findCurrentTask(a, maps);
  a.load(4, 'r1', 'r7', TaskState.phase).jumpIf('r1', '!=', Phase.inCall, OUT);
  a.load(8, 'r9', 'r6', RESULT).store(8, 'r7', CallEvent.result, 'r9');
  for (const code of RESTARTS) a.jumpIf('r9', '==', code, 'interrupted');
  a.load(4, 'r1', 'r7', CallEvent.number).jumpIf('r1', '>', CALLS - 1, OUT);
  a.shiftLeft('r1', 3).moveMapValue('r8', maps.calls).add('r8', 'r1');
  retryPaths(a, maps);
  describeOpened(a, offsets);
  noteCollected(a);
  stampEvent(a, maps, EventKind.call);
  a.store(4, 'r7', TaskState.phase, Phase.outsideCalls);
  sizeOfCall(a);
  sendEvent(a, maps, 'r3');
  a.jump(OUT);
  a.label('interrupted').store(4, 'r7', TaskState.phase, Phase.interrupted);
  end(a);
  return a.assemble();
}

function retryPaths(a: BpfAssembler, maps: RecorderMaps): void {
  a.load(1, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.replacesMemory);
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
  a.load(1, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.opens);
  a.jumpIf('r1', '==', 0, 'nothing opened');
  a.load(8, 'r9', 'r7', CallEvent.result).jumpIf('r9', 's<', 0, 'nothing opened');
  describeDescriptor(a, offsets, CallEvent.file2, true);
  a.label('nothing opened');
}

function noteCollected(a: BpfAssembler): void {
  a.load(1, 'r1', 'r8', CallShape.flags).and('r1', CallFlag.isWaitid);
  a.jumpIf('r1', '==', 0, 'nobody collected');
  a.load(8, 'r1', 'r7', CallEvent.result).jumpIf('r1', '!=', 0, 'nobody collected');
  a.load(8, 'r3', 'r7', CallEvent.args + 2 * 8).jumpIf('r3', '==', 0, 'nobody collected');
  a.add('r3', SI_PID_AT).move('r1', 'r7').add('r1', CallEvent.collected).move('r2', 4);
  a.callHelper('probe_read_user').label('nobody collected');
}

/** r3 = the size of the event, only as long as its paths are. */
function sizeOfCall(a: BpfAssembler): void {
  a.load(4, 'r3', 'r7', CallEvent.length2).jumpIf('r3', '==', PathLength.none, 'one path');
  a.jumpIf('r3', '>', SHORT_PATH, 'one path');
  a.add('r3', CallEvent.path2).jump('sized').label('one path');
  a.load(4, 'r3', 'r7', CallEvent.length).jumpIf('r3', '<=', SHORT_PATH, 'short');
  a.move('r3', 0).label('short').add('r3', CallEvent.path).label('sized');
}
