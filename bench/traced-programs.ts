/** The programs of bench/programs/, and the ways to run them: natively and under whatever looks for races. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { milliseconds } from './measure.ts';

export interface TracedProgram {
  readonly name: string;
  /** What takes it about half a second. */
  readonly size: number;
  /** What Valgrind can do in some seconds: a slowdown is a ratio, to a native run of the same size. */
  readonly smallSize: number;
}

export const PROGRAMS: readonly TracedProgram[] = [
  { name: 'histogram', size: 8_000_000, smallSize: 100_000 },
  { name: 'matrix', size: 500, smallSize: 160 },
  { name: 'list', size: 800_000, smallSize: 20_000 },
  { name: 'pipeline', size: 20_000, smallSize: 2_000 },
];

export interface CompileOptions {
  /** With ThreadSanitizer. */
  readonly sanitized?: boolean;
  /** Further source files. */
  readonly also?: readonly string[];
}

export function compileProgram(
  name: string,
  folder: string,
  { sanitized = false, also = [] }: CompileOptions = {},
): string {
  const output = join(folder, sanitized ? `${name}-sanitized` : name);
  const source = join(process.cwd(), 'bench', 'programs', `${name}.c`);
  const options = ['-O2', '-g', '-pthread', ...(sanitized ? ['-fsanitize=thread'] : [])];
  execFileSync('cc', [...options, source, ...also, '-o', output]);
  return output;
}

export interface ProgramTime {
  /** What it prints itself: its work, without what starts and ends it. */
  readonly running: number;
  readonly whole: number;
  /** What it had of processors, by all of its threads. */
  readonly processor: number;
  readonly result: string;
}

const LONGEST_MS = 600_000;

/** In milliseconds. */
export function timeProgram(command: readonly string[], folder: string): ProgramTime {
  const [program = '', ...args] = command;
  let stdout = '';
  const whole = milliseconds(() => {
    const done = spawnSync(program, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      timeout: LONGEST_MS,
    });
    if (done.status !== 0) {
      throw new Error(`'${command.join(' ')}' ended with ${done.status}: ${done.stderr}`);
    }
    ({ stdout } = done);
  });
  // What ran it may have something to say, too.
  const [line = ''] = stdout.split('\n');
  const [result = '', nanoseconds = '0', ofProcessors = '0'] = line.split(' ');
  return {
    ...{ result, whole, running: Number(nanoseconds) / 1e6, processor: Number(ofProcessors) / 1e6 },
  };
}
