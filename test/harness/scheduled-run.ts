/**
 * Runs a program under a schedule, written down by hand:
 *
 *   await scheduledRun(orders, ['mutex'], ['1 fork 2', '1 fork 3', '3 begin', '3 acquire m', '3 release m'])
 *
 * Names stand for objects, `wait-begin c m` has the mutex behind the condition, and `lapsed` may follow an end of
 * a wait. When all steps are done, or threads were let go for another reason, everything is let go.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAgentChannel } from '../../src/linux/agent-channel.ts';
import { LOG_OP_NAMES } from '../../src/linux/agent-log.ts';
import { AgentOption, LogOp } from '../../src/linux/agent-protocol.ts';
import {
  type AgentSchedule,
  type AgentScheduleFile,
  type ScheduledStep,
  type ScheduleProgress,
  type ThreadProgress,
  writeAgentSchedule,
} from '../../src/linux/agent-schedule.ts';
import { scratchFolder } from './scratch.ts';

export interface ScheduledRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly progress: ScheduleProgress;
  readonly threads: readonly ThreadProgress[];
  /** With the channel. */
  readonly folder: string;
}

export interface ScheduledRunOptions {
  readonly deadline?: bigint;
  readonly racing?: readonly number[];
  readonly process?: number;
  /** What is done instead of waiting for the last step and opening. */
  readonly meanwhile?: (file: AgentScheduleFile, program: RunningProgram) => Promise<void>;
}

export interface RunningProgram {
  readonly pid: number;
  /** With the channel. */
  readonly folder: string;
  /** What it has written so far. */
  readonly output: () => string;
}

export function scheduleOfLines(
  lines: readonly string[],
  options: ScheduledRunOptions = {},
): AgentSchedule {
  const objects: string[] = [];
  const numberOf = (name: string): number =>
    objects.includes(name) ? objects.indexOf(name) : objects.push(name) - 1;
  const steps = lines.map((line): ScheduledStep => {
    const [thread, name, object, mutex] = line.replace(' lapsed', '').split(' ');
    const op = LOG_OP_NAMES.indexOf(name!);
    const isOfThread = op === LogOp.DH_OP_FORK || op === LogOp.DH_OP_JOIN;
    return {
      thread: Number(thread),
      op,
      object: object === undefined ? undefined : isOfThread ? Number(object) : numberOf(object),
      ...(mutex !== undefined && { mutex: numberOf(mutex) }),
      isLapsed: line.endsWith(' lapsed'),
    };
  });
  const threads = Math.max(
    1,
    ...steps.map(({ thread, op, object }) => (op === LogOp.DH_OP_FORK ? object! : thread)),
  );
  const { racing = [], process = 1 } = options;
  return { process, threads, objects: objects.length, racing, steps };
}

export function scheduledRun(
  program: string,
  args: readonly string[],
  lines: readonly string[],
  options: ScheduledRunOptions = {},
): Promise<ScheduledRun> {
  return runSchedule(program, args, scheduleOfLines(lines, options), options);
}

export async function runSchedule(
  program: string,
  args: readonly string[],
  schedule: AgentSchedule,
  options: ScheduledRunOptions = {},
): Promise<ScheduledRun> {
  const folder = mkdtempSync(join(scratchFolder(), 'schedule-'));
  const channel = openAgentChannel(folder, 1 << 16, AgentOption.DH_OPTION_SCHEDULE);
  const file = writeAgentSchedule(folder, schedule, options.deadline);
  const env = { ...process.env, ...channel.environment };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const hasEnded = { it: false };
  void ended.then(() => {
    hasEnded.it = true;
  });
  try {
    const running = { pid: child.pid!, folder, output: () => stdout };
    if (options.meanwhile) await options.meanwhile(file, running);
    else {
      await until(() => {
        const { turn, open } = file.progress();
        return turn === schedule.steps.length || open !== undefined || hasEnded.it;
      });
      file.open();
    }
    const status = await ended;
    return { status, stdout, progress: file.progress(), threads: file.threads(), folder };
  } finally {
    child.kill('SIGKILL');
    file.close();
    channel.close();
  }
}

/** For what must come: the test's own limit is for when it does not. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2);
}
