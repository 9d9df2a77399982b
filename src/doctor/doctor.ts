/**
 * Examines the machine, one probe after the other: ptrace waits and namespaces do not mix well with
 * company. No probe can make doctor fail; what it throws becomes its finding.
 */
import { ExitStatus } from '../base/exit-status.ts';
import { type Finding, missing, type Probe } from './probe.ts';
import { agentProbe } from './probes/agent.ts';
import { bpfProbe } from './probes/bpf.ts';
import { compilerProbe } from './probes/compiler.ts';
import { debugInfoProbe } from './probes/debug-info.ts';
import { kernelImageProbe } from './probes/kernel-image.ts';
import { machineProbe } from './probes/machine.ts';
import { namespaceProbe } from './probes/namespaces.ts';
import { nextPidProbe } from './probes/next-pid.ts';
import { perfBreakpointProbe } from './probes/perf-breakpoint.ts';
import { perfClockProbe } from './probes/perf-clock.ts';
import { perfHardwareProbe } from './probes/perf-hardware.ts';
import { ptraceProbe } from './probes/ptrace.ts';
import { qemuProbe } from './probes/qemu.ts';
import { samplingProbe } from './probes/sampling.ts';
import { seccompProbe } from './probes/seccomp.ts';
import { watchpointProbe } from './probes/watchpoints.ts';

/** What everything rests on first. */
export const PROBES: readonly Probe[] = [
  machineProbe,
  ptraceProbe,
  seccompProbe,
  namespaceProbe,
  nextPidProbe,
  bpfProbe,
  watchpointProbe,
  perfClockProbe,
  perfBreakpointProbe,
  perfHardwareProbe,
  compilerProbe,
  agentProbe,
  samplingProbe,
  debugInfoProbe,
  qemuProbe,
  kernelImageProbe,
];

const TIME_LIMIT_MS = 20_000;
/** For a probe whose time is over to end what it started. */
const CLEAN_UP_MS = 2000;

export interface Examined {
  probe: Probe;
  finding: Finding;
}

/** `onProgress` is told of each probe before it runs. */
export async function examine(
  onProgress: (probe: Probe, done: number, total: number) => void = () => {},
  probes: readonly Probe[] = PROBES,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<Examined[]> {
  const examined: Examined[] = [];
  for (const probe of probes) {
    onProgress(probe, examined.length, probes.length);
    examined.push({ probe, finding: await runProbe(probe, timeLimitMs) });
  }
  return examined;
}

/** 69 when something is missing that no engine can do without. */
export function exitStatus(examined: readonly Examined[]): ExitStatus {
  const isFatal = ({ probe, finding }: Examined) =>
    probe.essential === true && finding.status === 'missing';
  return examined.some(isFatal) ? ExitStatus.unavailable : ExitStatus.clean;
}

async function runProbe(probe: Probe, timeLimitMs: number): Promise<Finding> {
  const controller = new AbortController();
  const overdue = missing(
    `no answer within ${timeLimitMs / 1000} s`,
    'try again when the machine is less busy; if that does not help, please report it',
  );
  const timers: NodeJS.Timeout[] = [setTimeout(() => controller.abort(), timeLimitMs)];
  const givenUp = new Promise<Finding>((resolve) => {
    timers.push(setTimeout(() => resolve(overdue), timeLimitMs + CLEAN_UP_MS));
  });
  // Inside an async function, so that what a probe throws at once is caught like all the rest.
  const attempt = (async () => probe.run(controller.signal))().catch(unexpected);
  const outcome = await Promise.race([attempt, givenUp]);
  for (const timer of timers) clearTimeout(timer);
  return controller.signal.aborted ? overdue : outcome;
}

function unexpected(thrown: unknown): Finding {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return missing(message, 'doctor did not expect this: please report it');
}
