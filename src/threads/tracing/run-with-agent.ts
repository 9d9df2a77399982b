/**
 * Runs a program with the agent in it, and waits for its end. Nobody traces it: if we are killed, it goes on,
 * and so do its logs.
 */
import { tryTo } from '../../base/result.ts';
import type { AgentRecord } from '../../linux/agent-channel.ts';
import { ChildWatch } from '../../linux/child-watch.ts';
import { type Tid, tid } from '../../linux/ids.ts';
import { type Interruptible, Interruption } from '../../linux/interruption.ts';
import { runningTree } from '../../linux/running-process.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import {
  startUntraced,
  type UntracedChild,
  type UntracedProgram,
} from '../../linux/start-untraced.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { AgentFolder } from './agent-folder.ts';

/** How the program ended. */
export type ProgramEnd = { readonly status: number } | { readonly signal: number };

export interface AgentRun {
  readonly end: ProgramEnd;
  /** The signal by which the user asked for the end. */
  readonly interruptedBy: number | undefined;
  /** The program did not heed it, and was killed. */
  readonly killed: boolean;
  readonly timeIsUp: boolean;
  /** How long it ran. */
  readonly milliseconds: number;
  /** All that the agent said. */
  readonly records: readonly AgentRecord[];
  /** Bytes of what it said that did not fit. */
  readonly lost: number;
}

const LONGEST_REST_MS = 1000;

export async function runWithAgent(
  program: UntracedProgram,
  { channel }: AgentFolder,
  timeoutMs?: number,
): Promise<AgentRun> {
  const environment = withVariables(program.environment, channel.environment);
  const ended = await toItsEnd({ ...program, environment }, timeoutMs);
  return { ...ended, records: [...channel.records()], lost: channel.lost };
}

async function toItsEnd(
  program: UntracedProgram,
  timeoutMs: number | undefined,
): Promise<Omit<AgentRun, 'records' | 'lost'>> {
  const { ignoredSignals } = program.inheritance;
  const watch = new ChildWatch();
  const running = new RunningProgram();
  // Before it starts: a Ctrl-C then is the program's, and not the end of us.
  const interruption = new Interruption(running, ignoredSignals, timeoutMs);
  try {
    const began = performance.now();
    const child = startUntraced(program);
    running.child = child;
    let status = child.status();
    for (; status === undefined; status = child.status()) await watch.rest(LONGEST_REST_MS);
    const end = parseWaitStatus(status);
    const { interruptedBy, killed } = running;
    const { timeIsUp } = interruption;
    return {
      end: end.kind === 'killed' ? { signal: end.signal } : { status: exitCode(end) },
      ...{ interruptedBy, killed, timeIsUp, milliseconds: performance.now() - began },
    };
  } finally {
    interruption.stopListening();
    watch.close();
  }
}

const exitCode = (status: ReturnType<typeof parseWaitStatus>): number =>
  status.kind === 'exited' ? status.code : 0;

class RunningProgram implements Interruptible {
  child: UntracedChild | undefined;
  interruptedBy: number | undefined;
  killed = false;

  get alive(): Tid | undefined {
    const { child } = this;
    return child !== undefined && child.status() === undefined ? tid(child.pid) : undefined;
  }

  demandEnd(): void {
    this.killed = true;
    if (this.child === undefined || this.alive === undefined) return;
    const processes = new Set(runningTree(this.child.pid).map(({ process }) => process));
    // Some may be gone already, and those of other users do not hear us.
    for (const process of processes) void tryTo(() => sendSignal(process, Signal.SIGKILL));
  }
}

/** In the place of earlier ones of the same name, or at the end. */
export function withVariables(
  environment: readonly string[],
  variables: Readonly<Record<string, string>>,
): string[] {
  const added = new Map(Object.entries(variables));
  const nameOf = (entry: string): string => entry.slice(0, entry.indexOf('='));
  const replaced = environment.map((entry) => {
    const value = added.get(nameOf(entry));
    added.delete(nameOf(entry));
    return value === undefined ? entry : `${nameOf(entry)}=${value}`;
  });
  return [...replaced, ...[...added].map(([name, value]) => `${name}=${value}`)];
}
