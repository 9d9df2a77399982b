/**
 * Runs a program that nobody traces, and waits for its end: if we are killed, it goes on.
 *
 *   const ran = await runProgram({ path: '/bin/sleep', args: ['sleep', '1'], environment, inheritance });
 *   ran.end      // { status: 0 }
 */
import { endProgress } from '../base/progress.ts';
import { tryTo } from '../base/result.ts';
import { ChildWatch } from './child-watch.ts';
import { type Pid, type Tid, tid } from './ids.ts';
import { type Interruptible, Interruption } from './interruption.ts';
import { runningTree } from './running-process.ts';
import { Signal, sendSignal } from './signals.ts';
import { startUntraced, type UntracedChild, type UntracedProgram } from './start-untraced.ts';
import { parseWaitStatus } from './wait.ts';

/** How the program ended. */
export type ProgramEnd = { readonly status: number } | { readonly signal: number };

export interface RanProgram {
  readonly end: ProgramEnd;
  /** The signal by which the user asked for the end. */
  readonly interruptedBy: number | undefined;
  /** The program did not heed it, and was killed. */
  readonly killed: boolean;
  readonly timeIsUp: boolean;
  /** How long it ran. */
  readonly milliseconds: number;
}

export interface RunProgramOptions {
  /** After this time the program is ended, as by Ctrl-C. */
  readonly timeoutMs?: number | undefined;
  /** Called once it runs. */
  readonly started?: ((pid: Pid) => void) | undefined;
}

const LONGEST_REST_MS = 1000;

export async function runProgram(
  program: UntracedProgram,
  { timeoutMs, started }: RunProgramOptions = {},
): Promise<RanProgram> {
  const { ignoredSignals } = program.inheritance;
  const watch = new ChildWatch();
  const running = new RunningProgram();
  // Before it starts: a Ctrl-C then is the program's, and not the end of us.
  const interruption = new Interruption(running, ignoredSignals, timeoutMs);
  try {
    // From here on the terminal is the program's.
    endProgress();
    const began = performance.now();
    const child = startUntraced(program);
    running.child = child;
    started?.(child.pid);
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
