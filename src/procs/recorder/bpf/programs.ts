/**
 * All programs, with the tracepoint that each one is for. The two that run at every system call are
 * loaded as `tracing` programs, which know the types of the kernel's structures (file-fragments.ts).
 */
import {
  type LinkFd,
  loadProgram,
  openRawTracepoint,
  type ProgramDescription,
  type ProgramFd,
} from '../../../linux/bpf.ts';
import type { KernelTypes } from '../../../linux/btf.ts';
import { errnoNumber } from '../../../linux/errno.ts';
import { SystemError } from '../../../linux/system-error.ts';
import { enterProgram } from './enter-program.ts';
import { execProgram } from './exec-program.ts';
import { exitProgram } from './exit-program.ts';
import { forkProgram } from './fork-program.ts';
import { inputProgram } from './input-program.ts';
import type { KernelOffsets } from './kernel-offsets.ts';
import type { RecorderMaps } from './recorder-maps.ts';
import { signalDeliverProgram, signalGenerateProgram } from './signal-programs.ts';
import { taskExitProgram } from './task-exit-program.ts';

const EAGAIN = errnoNumber('EAGAIN');
const ATTEMPTS = 50;

export interface RecorderProgram {
  tracepoint: string;
  knowsTypes?: true;
  /** Not attached: the other program of its tracepoint goes on with it. */
  called?: true;
  assemble(maps: RecorderMaps, offsets: KernelOffsets): Buffer;
}

export const PROGRAMS: readonly RecorderProgram[] = [
  { tracepoint: 'sys_enter', knowsTypes: true, assemble: enterProgram },
  { tracepoint: 'sys_exit', knowsTypes: true, assemble: exitProgram },
  { tracepoint: 'sys_exit', knowsTypes: true, called: true, assemble: inputProgram },
  { tracepoint: 'sched_process_fork', assemble: forkProgram },
  { tracepoint: 'sched_process_exec', assemble: execProgram },
  { tracepoint: 'sched_process_exit', assemble: taskExitProgram },
  { tracepoint: 'signal_generate', assemble: signalGenerateProgram },
  { tracepoint: 'signal_deliver', assemble: signalDeliverProgram },
];

export function loadRecorderProgram(
  { tracepoint, knowsTypes, assemble }: RecorderProgram,
  maps: RecorderMaps,
  types: KernelTypes,
  offsets: KernelOffsets,
): ProgramFd {
  const common = { name: tracepoint, instructions: assemble(maps, offsets) };
  if (!knowsTypes) return loadPatiently({ type: 'raw-tracepoint', ...common });
  const attachTo = types.idOf('typedef', `btf_trace_${tracepoint}`);
  const typed = { type: 'tracing', attachType: 'trace-raw-tracepoint', attachTo } as const;
  return loadPatiently({ ...typed, ...common });
}

/** The kernel gives up checking a program when a signal comes, such as a profiler's. */
function loadPatiently(program: ProgramDescription): ProgramFd {
  for (let attempt = 1; ; attempt++) {
    try {
      return loadProgram(program);
    } catch (error) {
      const mayRetry = error instanceof SystemError && error.errno === EAGAIN;
      if (!mayRetry || attempt === ATTEMPTS) throw error;
    }
  }
}

export function attachRecorderProgram(
  program: ProgramFd,
  { tracepoint, knowsTypes }: RecorderProgram,
): LinkFd {
  return openRawTracepoint(program, knowsTypes ? undefined : tracepoint);
}
