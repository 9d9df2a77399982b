/**
 * What every probe of `deadheat doctor` looks like. A probe finds out whether the machine can do
 * something by doing it; settings are read only to explain a failure and to name the remedy:
 *
 *   missing  perf clock
 *     found   perf_event_open(software cpu-clock, …): EACCES (Permission denied)
 *     remedy  kernel.perf_event_paranoid is 3, needs <= 2: `sudo sysctl kernel.perf_event_paranoid=2`
 *
 * In a remedy, a command to be copied stands between backquotes and is never broken over lines.
 * A probe leaves nothing behind, also when it fails: no process, no mount, no file.
 */
export type Finding =
  | { status: 'ok'; found: string }
  | { status: 'limited' | 'missing'; found: string; remedy: string };

export type Status = Finding['status'];

export interface Probe {
  readonly name: string;
  /** The commands that need it, and what for when only a part of them does. */
  readonly usedBy: string;
  /** One line. */
  readonly needed: string;
  /** Without it no engine can run at all. */
  readonly essential?: boolean;
  /** Aborted when the time is over: whatever was started must then end. */
  run(signal: AbortSignal): Finding | Promise<Finding>;
}

export const works = (found: string): Finding => ({ status: 'ok', found });

export const limited = (found: string, remedy: string): Finding => ({
  status: 'limited',
  found,
  remedy,
});

export const missing = (found: string, remedy: string): Finding => ({
  status: 'missing',
  found,
  remedy,
});
