/** Runs another program to its end and says how it went; it cannot outlive the signal. */
import { execFile } from 'node:child_process';

export interface Outcome {
  /** 0 for success, -1 when it could not be started or was killed. */
  code: number;
  stdout: string;
  /** What the program complained about; when it could not be started, why. */
  complaint: string;
}

export interface CommandOptions {
  signal: AbortSignal;
  folder?: string;
  /** In addition to our own. */
  env?: NodeJS.ProcessEnv;
}

export function runCommand(
  program: string,
  args: readonly string[],
  { signal, folder, env }: CommandOptions,
): Promise<Outcome> {
  const options = {
    signal,
    killSignal: 'SIGKILL',
    // Complaints are shown and looked at: they must not be translated.
    env: { ...process.env, LC_ALL: 'C', ...env },
    ...(folder === undefined ? {} : { cwd: folder }),
  } as const;
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve({ code: 0, stdout: stdout.trim(), complaint: stderr.trim() });
      const code = typeof error.code === 'number' ? error.code : -1;
      const isAbsent = ['ENOENT', 'EACCES'].includes(String(error.code));
      const notStarted = isAbsent ? `no program named ${program} on PATH` : '';
      const complaint = notStarted || stderr.trim() || `${program}: ${describe(error)}`;
      resolve({ code, stdout: stdout.trim(), complaint });
    });
    child.stdin?.end();
  });
}

function describe(error: Error & { code?: unknown; signal?: unknown }): string {
  if (error.name === 'AbortError') return 'stopped, it took too long';
  if (error.signal) return `killed by ${error.signal}`;
  return typeof error.code === 'number' ? `exit status ${error.code}` : error.message;
}
