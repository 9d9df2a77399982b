import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { LONGEST_RUN_MS, PROJECT } from './deadheat.ts';

export interface Session {
  /** Everything the terminal received, escape sequences included. */
  raw: string;
  /** The same as a person would read it. */
  text: string;
  status: number;
}

export interface TerminalSettings {
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Pattern 3: a command on a real terminal, with `deadheat` on PATH; `type` reacts to what it prints. */
export function onTerminal(
  [program = '', ...args]: readonly string[],
  cwd: string,
  type: (soFar: string, write: (keys: string) => void) => void = () => {},
  { columns = 100, environment = {} }: TerminalSettings = {},
): Promise<Session> {
  return new Promise((resolve) => {
    const { NO_COLOR: _, ...inherited } = process.env;
    const path = `${PROJECT}:${process.env.PATH}`;
    const env = { ...inherited, PATH: path, TERM: 'xterm', ...environment };
    const terminal = spawn(program, args, { cwd, cols: columns, rows: 40, env });
    let raw = '';
    terminal.onData((data) => {
      raw += data;
      type(raw, (keys) => terminal.write(keys));
    });
    // A command that waits for ever is a failed test, not a hanging one.
    const tooLong = setTimeout(() => terminal.kill('SIGKILL'), LONGEST_RUN_MS);
    terminal.onExit(({ exitCode }) => {
      clearTimeout(tooLong);
      resolve({ raw, text: stripVTControlCharacters(raw), status: exitCode });
    });
  });
}
