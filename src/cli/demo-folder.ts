/** A copy of an example, with its programs, in a folder that is gone afterwards. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../base/built-file.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

const EXAMPLES_FOLDER = fileURLToPath(builtFile('../examples/'));

/** @param example its folder under examples/ */
export function inCopyOf<Result>(example: string, work: (folder: string) => Result): Result {
  const copy = mkdtempSync(join(tmpdir(), 'deadheat-demo-'));
  try {
    const folder = join(copy, 'example');
    const from = join(EXAMPLES_FOLDER, example);
    cpSync(from, folder, { recursive: true });
    // What the examples of an engine have in common is included from the folder above.
    for (const name of readdirSync(dirname(from)).filter((file) => file.endsWith('.h'))) {
      cpSync(join(dirname(from), name), join(copy, name));
    }
    return work(folder);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** `racy.c` becomes `racy`. Returns the command line, as it could be typed. */
export function compileDemo(folder: string, source: string): string {
  const [compiler = 'cc', ...given] = (process.env.CC ?? '').split(/\s+/).filter(Boolean);
  const args = [...given, '-g', '-O1', '-pthread', '-o', source.replace(/\.c$/, ''), source];
  const { status, error, stderr } = spawnSync(compiler, args, { cwd: folder, encoding: 'utf8' });
  if (status === 0) return [compiler, ...args].join(' ');
  throw new UserError(
    error
      ? `there is no C compiler (${compiler}) for the example`
      : `the example does not compile: ${stderr.trim()}`,
    "install one ('apt install gcc libc6-dev'), or see 'deadheat demo procs', which needs none",
    ExitStatus.unavailable,
  );
}
