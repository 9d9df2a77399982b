/**
 * Two programs. signal_deliver(signal, info, action) runs in the task that a signal reaches; one
 * that is ignored then, by choice or by default, is no event.
 *
 * A signal that will end the whole process, such as SIGTERM without a handler, is never delivered
 * as itself: the kernel notes it as the process's end and gives SIGKILL, from nobody, to each task.
 * So signal_generate(signal, info, target, …, result) notes who sent the last signal, and the
 * SIGKILL of the process's first task is recorded as what it stands for. SIGKILL itself is not
 * recorded: the exit record tells.
 */

import { BpfAssembler } from '../../../linux/bpf-assembler.ts';
import { SI_PID_AT, Signal } from '../../../linux/signals.ts';
import {
  CURRENT,
  end,
  fetch,
  findCurrentTask,
  findWorkspace,
  follow,
  KEY,
  lookUp,
  OUT,
  readKernel,
  sendEvent,
  stampEvent,
} from './fragments.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import { EventKind, SignalEvent, TaskState } from './layout.ts';
import type { RecorderMaps } from './recorder-maps.ts';

const SIGNAL = 0;
const INFO = 8;
const ACTION = 16;
const TARGET = 16;
const RESULT = 32;

/** SIG_DFL and SIG_IGN, <asm-generic/signal-defs.h>. */
const DEFAULT_ACTION = 0;
const IGNORE = 1;
/** Signals whose default action is to be ignored, <linux/signal.h>. */
const IGNORED = [Signal.SIGCONT, Signal.SIGCHLD, Signal.SIGWINCH, Signal.SIGURG];

/** Signals that dump core: those are delivered as themselves, to one task. <linux/signal.h> */
const CORE_DUMPING = [
  Signal.SIGQUIT,
  Signal.SIGILL,
  Signal.SIGTRAP,
  Signal.SIGABRT,
  Signal.SIGFPE,
  Signal.SIGSEGV,
  Signal.SIGBUS,
  Signal.SIGSYS,
  Signal.SIGXCPU,
  Signal.SIGXFSZ,
];

/** siginfo_t, <asm-generic/siginfo.h>. */
const SI_CODE_AT = 8;
/** SI_KERNEL: the kernel itself sent it. */
const SI_KERNEL = 0x80;
/** SEND_SIG_NOINFO and SEND_SIG_PRIV, <linux/sched/signal.h>, stand where a pointer would. */
const LAST_SPECIAL_INFO = 1;

/** Where these are kept on the stack while an event is made: signal (8 bytes), code, sender, phase of the task. */
const DELIVERED = -40;
const CODE = -48;
const SENDER = -44;
const PHASE = -52;

export function signalDeliverProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1');
  findCurrentTask(a, maps);
  a.load(4, 'r1', 'r7', TaskState.phase).store(4, 'fp', PHASE, 'r1');
  a.store(4, 'fp', CODE, SI_KERNEL).store(4, 'fp', SENDER, 0);
  a.load(8, 'r9', 'r6', SIGNAL).jumpIf('r9', '==', Signal.SIGKILL, 'killed');
  leaveIgnored(a, maps, offsets);
  readInfo(a, 'send');
  a.jump('send');
  findFatalSignal(a, offsets);
  a.label('send').store(8, 'fp', DELIVERED, 'r9');
  findWorkspace(a, 'r7', maps);
  a.load(8, 'r1', 'fp', DELIVERED).store(4, 'r7', SignalEvent.signal, 'r1');
  a.load(4, 'r1', 'fp', CODE).store(4, 'r7', SignalEvent.code, 'r1');
  a.load(4, 'r1', 'fp', SENDER).store(4, 'r7', SignalEvent.sender, 'r1');
  a.load(4, 'r1', 'fp', PHASE).store(4, 'r7', SignalEvent.phase, 'r1');
  stampEvent(a, maps, EventKind.signal);
  sendEvent(a, maps, SignalEvent.size);
  end(a);
  return a.assemble();
}

export function signalGenerateProgram(maps: RecorderMaps, offsets: KernelOffsets): Buffer {
  const a = new BpfAssembler();
  a.move('r6', 'r1');
  a.load(8, 'r1', 'r6', RESULT).jumpIf('r1', '!=', 0, OUT);
  a.load(8, 'r3', 'r6', TARGET);
  readKernel(a, ['fp', KEY], 4, offsets.task.process, OUT);
  lookUp(a, maps.tasks);
  a.jumpIf('r0', '==', 0, OUT).move('r7', 'r0');
  a.store(4, 'fp', CODE, SI_KERNEL).store(4, 'fp', SENDER, 0);
  readInfo(a, 'note');
  a.label('note').load(8, 'r1', 'r6', SIGNAL).store(4, 'r7', TaskState.lastSignal, 'r1');
  a.load(4, 'r1', 'fp', CODE).store(4, 'r7', TaskState.lastSignalCode, 'r1');
  a.load(4, 'r1', 'fp', SENDER).store(4, 'r7', TaskState.lastSignalSender, 'r1');
  end(a);
  return a.assemble();
}

/** A default action may end the process: this task has then told of it, and the first one need not. */
function leaveIgnored(a: BpfAssembler, maps: RecorderMaps, { action }: KernelOffsets): void {
  a.load(8, 'r3', 'r6', ACTION);
  fetch(a, 8, 'r1', action.handler, OUT);
  a.jumpIf('r1', '==', IGNORE, OUT).jumpIf('r1', '!=', DEFAULT_ACTION, 'not ignored');
  for (const signal of IGNORED) a.jumpIf('r9', '==', signal, OUT);
  a.load(4, 'r1', 'fp', CURRENT + 4).store(4, 'fp', KEY, 'r1');
  lookUp(a, maps.tasks);
  a.jumpIf('r0', '==', 0, 'not ignored').store(4, 'r0', TaskState.lastSignal, 0);
  a.label('not ignored');
}

/** Code and sender from the info that the tracepoint passed. */
function readInfo(a: BpfAssembler, otherwise: string): void {
  a.load(8, 'r3', 'r6', INFO).jumpIf('r3', '<=', LAST_SPECIAL_INFO, otherwise);
  readKernel(a, ['fp', CODE], 4, SI_CODE_AT, otherwise);
  a.load(8, 'r3', 'r6', INFO);
  readKernel(a, ['fp', SENDER], 4, SI_PID_AT, otherwise);
}

/** r9 = the signal that SIGKILL stands for; out if there is none, or another task reports it. */
function findFatalSignal(a: BpfAssembler, { task, signal }: KernelOffsets): void {
  a.label('killed')
    .load(4, 'r1', 'fp', CURRENT)
    .load(4, 'r2', 'fp', CURRENT + 4);
  a.jumpIf('r1', '!=', 'r2', OUT).callHelper('get_current_task').move('r3', 'r0');
  follow(a, [task.signal], OUT);
  fetch(a, 4, 'r9', signal.groupExitCode, OUT);
  a.and('r9', 0x7f).jumpIf('r9', '==', 0, OUT).jumpIf('r9', '==', Signal.SIGKILL, OUT);
  for (const dumping of CORE_DUMPING) a.jumpIf('r9', '==', dumping, OUT);
  a.load(4, 'r1', 'r7', TaskState.lastSignal).jumpIf('r1', '!=', 'r9', OUT);
  a.load(4, 'r1', 'r7', TaskState.lastSignalCode).store(4, 'fp', CODE, 'r1');
  a.load(4, 'r1', 'r7', TaskState.lastSignalSender).store(4, 'fp', SENDER, 'r1');
}
