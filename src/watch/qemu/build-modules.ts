/**
 * Builds kernel modules of C files, one for each, with the kernel's own makefiles. The module has the name of its
 * file, after that of its folder, so that all examples can be loaded at once:
 *
 *   examples/watch-kernel/rw-race/racy.c     rw_race_racy.ko
 *
 * What is compiled is a file of that name that includes the other one: debug information names the user's file, and
 * nothing is written beside it. Debian's headers are two folders, of which the first includes the second one's
 * makefile by where it would be installed; make is told where it is.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { endProgress, tellProgress } from '../../base/progress.ts';
import { UserError } from '../../base/user-error.ts';
import { headersFor, withLibrariesOf } from './guest-parts.ts';

/** The paths of the modules, in the same order; they are built in `folder`, which is made. */
export async function buildModules(
  sources: readonly string[],
  release: string,
  folder: string,
): Promise<string[]> {
  if (sources.length === 0) return [];
  const headers = headersFor(release);
  if (headers === undefined) throw cannotBuild(`no headers of kernel ${release}`);
  mkdirSync(folder, { recursive: true });
  const names = sources.map(moduleName);
  for (const [at, source] of sources.entries()) {
    requireReadable(source);
    writeFileSync(join(folder, `${names[at]}.c`), `#include "${resolve(source)}"\n`);
  }
  writeFileSync(join(folder, 'Kbuild'), `obj-m := ${names.map((name) => `${name}.o`).join(' ')}\n`);
  const makefile = commonMakefile(headers.folder);
  const args = ['-C', headers.folder, ...(makefile ? ['-f', makefile] : []), `M=${folder}`];
  const env = headers.root === undefined ? process.env : withLibrariesOf(headers.root);
  await make([...args, 'modules'], env, (output) =>
    tellProgress('modules built', builtSoFar(output), names.length),
  );
  endProgress();
  return names.map((name) => join(folder, `${name}.ko`));
}

/** `hear` is told all that it has printed so far. */
function make(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  hear: (output: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const ran = spawn('make', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    hear(output);
    ran.stdout.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
      hear(output);
    });
    ran.stderr.setEncoding('utf8').on('data', (piece: string) => {
      errors += piece;
    });
    ran.once('error', (error) => reject(cannotBuild(error.message)));
    ran.once('close', (status) => {
      if (status === 0) resolve();
      else reject(cannotBuild(complaint(`${errors}\n${output}`)));
    });
  });
}

/** The kernel's makefiles print a line `LD [M]  /tmp/rw_race_racy.ko` as they link it, which is the last step. */
export const builtSoFar = (output: string): number =>
  output.match(/^\s*LD \[M\]\s+\S+\.ko$/gm)?.length ?? 0;

/** Of letters, digits and underlines, as the kernel wants it. */
export function moduleName(source: string): string {
  const path = resolve(source);
  const name = `${basename(dirname(path))}_${basename(path, '.c')}`;
  return name.replace(/\W/g, '_');
}

/** Of `include /usr/src/linux-headers-6.1.0-50-common/Makefile`, in the folder beside ours. */
function commonMakefile(headers: string): string | undefined {
  const text = readFileSync(join(headers, 'Makefile'), 'utf8');
  const included = /^include (\/\S+)$/m.exec(text.trim())?.[1];
  if (included === undefined || existsSync(included)) return undefined;
  return join(dirname(headers), basename(dirname(included)), basename(included));
}

function requireReadable(source: string): void {
  if (existsSync(encodeBytes(source))) return;
  throw new UserError(`there is no module ${printable(source)}`, 'check the path');
}

/** The compiler's first error, if it is one. */
function complaint(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error[: ]|not found/i.test(line)) ?? lines[0] ?? 'make failed';
}

const cannotBuild = (why: string): UserError =>
  new UserError(
    `cannot build kernel modules: ${why}`,
    "mend that, or give modules that are built (FILE.ko); make and the kernel's compiler, gcc-12 on Debian 12, are needed",
  );
