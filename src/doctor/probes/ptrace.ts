/**
 * Tracing a program that we start, and (for --pid) one that was running before us. The second is
 * tried on an orphan: a child of a shell that has ended, so it is not our descendant, which is
 * what Yama's ptrace_scope 1 asks for.
 */
import { spawnSync } from 'node:child_process';
import { tryTo } from '../../base/result.ts';
import { pid } from '../../linux/ids.ts';
import { capabilityRemedy, setting, settingRemedy } from '../../linux/kernel-settings.ts';
import { detach, resume, TraceEvent } from '../../linux/ptrace.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import { limited, missing, type Probe, works } from '../probe.ts';
import { isEvent, TracedTask, withTracedProgram } from '../traced-program.ts';

/** Ends by itself soon after, should we be killed in the middle. */
const START_ORPHAN = 'sleep 10 </dev/null >/dev/null 2>&1 & echo $!';

export const ptraceProbe: Probe = {
  name: 'ptrace',
  usedBy: 'every engine; --pid of sample and watch',
  needed: 'tracing programs that deadheat starts, and processes that already run',
  essential: true,
  run() {
    const own = tryTo(() => withTracedProgram(runToEnd));
    if (!own.ok) return missing(`no program can be traced: ${own.error.message}`, tracingRemedy());
    const other = tryTo(attachToOrphan);
    if (other.ok) return works('traced a program from exec to exit, and attached to a running one');
    const found = `traced a program from exec to exit; attaching failed: ${other.error.message}`;
    return limited(found, attachingRemedy());
  },
};

function runToEnd(program: TracedTask): void {
  resume(program.task, 'freely');
  const change = program.next();
  if (change.kind !== 'exited' || change.code !== 7) {
    throw new Error(`instead of its exit, a traced program showed ${JSON.stringify(change)}`);
  }
}

function attachToOrphan(): void {
  const shell = spawnSync('/bin/sh', ['-c', START_ORPHAN], { encoding: 'utf8' });
  const orphan = pid(Number(shell.stdout));
  if (!(orphan > 1)) throw new Error(`could not start one to attach to: ${shell.stderr}`);
  const traced = new TracedTask(orphan);
  const seized = tryTo(() => traced.seize());
  if (!seized.ok) {
    sendSignal(orphan, Signal.SIGKILL);
    throw seized.error;
  }
  try {
    traced.interrupt();
    if (!isEvent(traced.next(), TraceEvent.stop)) throw new Error('it did not stop for us');
    detach(traced.task);
    sendSignal(orphan, Signal.SIGKILL);
  } catch (error) {
    traced.end();
    throw error;
  }
}

const SCOPE = 'kernel.yama.ptrace_scope';
const UNTIL_REBOOT = `${SCOPE} is 3, and stays so until the next boot: remove it from /etc/sysctl.d and /etc/sysctl.conf, then reboot`;

export function tracingRemedy(): string {
  if (setting(SCOPE) === 3) return UNTIL_REBOOT;
  if (setting(SCOPE) === 2) return settingRemedy(SCOPE, '<= 1 (or root)', 1);
  return 'in a container, allow the ptrace call: `--cap-add SYS_PTRACE`';
}

export function attachingRemedy(): string {
  const scope = setting(SCOPE) ?? 0;
  if (scope === 3) return UNTIL_REBOOT;
  return scope > 0 ? settingRemedy(SCOPE, '0 (or root)', 0) : capabilityRemedy('CAP_SYS_PTRACE');
}
