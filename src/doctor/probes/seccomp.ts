/** Stopping a program at chosen system calls only, by a filter that we make it install itself. */
import { tryTo } from '../../base/result.ts';
import { injectFilter } from '../../linux/inject.ts';
import { resume, syscallInfo, TraceEvent } from '../../linux/ptrace.ts';
import { traceOnly } from '../../linux/seccomp.ts';
import { Signal } from '../../linux/signals.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { missing, type Probe, works } from '../probe.ts';
import { isEvent, type TracedTask, withTracedProgram } from '../traced-program.ts';

const SYSCALL_STOP = Signal.SIGTRAP | 0x80;

export const seccompProbe: Probe = {
  name: 'seccomp',
  usedBy: 'procs',
  needed: 'stopping a traced program at chosen system calls while all others run at full speed',
  run() {
    const stopped = tryTo(() => withTracedProgram(stopsAtExit));
    if (stopped.ok) return works('a filter put into a traced program stopped it at exit_group');
    return missing(
      stopped.error.message,
      'needs a kernel with CONFIG_SECCOMP_FILTER, and ptrace (see above); in a container, allow both: `--security-opt seccomp=unconfined`',
    );
  },
};

function stopsAtExit(program: TracedTask): void {
  runToCallEntry(program);
  const exit = syscallNumber('exit_group');
  injectFilter(program.task, traceOnly([{ number: exit }]));
  resume(program.task, 'freely');
  const change = program.next();
  if (!isEvent(change, TraceEvent.seccomp)) {
    throw new Error(`instead of a seccomp stop the program showed ${JSON.stringify(change)}`);
  }
  const call = syscallInfo(program.task);
  if (call.at !== 'seccomp' || call.number !== exit) {
    throw new Error(`the filter stopped the program at the wrong call: ${JSON.stringify(call)}`);
  }
}

/** From the exec stop, the way leads out of execve first. */
function runToCallEntry(program: TracedTask): void {
  for (;;) {
    resume(program.task, 'to-syscall');
    const change = program.next();
    if (change.kind !== 'stopped') throw new Error('the program ended without a system call');
    if (change.signal === SYSCALL_STOP && syscallInfo(program.task).at === 'entry') return;
  }
}
