/** A command that says itself when it begins and ends, so that what is around it can be told apart. */
import { spawnSync } from 'node:child_process';
import { milliseconds } from './measure.ts';

export interface Sample {
  /** The command itself. */
  running: number;
  /** With all that starts it. */
  whole: number;
}

/** Put before the command. */
export const TIMED = ['sh', '-c', 'date +%s%N; "$@" >/dev/null; date +%s%N', 'sh'];

export function timed([program = '', ...args]: readonly string[], folder: string): Sample {
  let stdout = '';
  const whole = milliseconds(() => {
    const done = spawnSync(program, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(`'${program}' ended with ${done.status}`);
    ({ stdout } = done);
  });
  const [begin = 0n, end = 0n] = stdout.trim().split('\n').map(BigInt);
  return { running: Number(end - begin) / 1e6, whole };
}
