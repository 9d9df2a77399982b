/**
 * What `--also` names: a path, or just a name, which is then looked for where the loader would find it for
 * this program, and after that among programs.
 *
 *   --also ./libqueue.so       this file
 *   --also libz.so             /lib/x86_64-linux-gnu/libz.so.1, if the program is linked with it
 *   --also worker              /usr/bin/worker, which the program starts
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { resolveExecutable } from '../../linux/executable.ts';
import { findProgram } from '../../linux/find-program.ts';

/** What the agent itself stands on: it hooks their functions, calls them, and is loaded and unwound by them. */
const FOUNDATIONS = /^(libc|libpthread|libgcc_s|ld-linux-x86-64|libdeadheat)\.so/;

/** The paths, in the same order. */
export function findAlso(names: readonly string[], executable: string): string[] {
  let libraries: readonly string[] | undefined;
  const find = (name: string): string => {
    if (name.includes('/')) return executableOf(name);
    libraries ??= librariesOf(executable);
    const library =
      libraries.find((path) => basename(path) === name) ??
      libraries.find((path) => basename(path).startsWith(`${name}.`));
    if (library !== undefined) return library;
    if (existsSync(encodeBytes(name))) return executableOf(`./${name}`);
    const program = tryTo(() => resolveExecutable(name));
    if (program.ok) return executableOf(program.value);
    throw new UserError(
      `--also ${printable(name)}: neither a library that ${printable(executable)} is linked with nor a program`,
      'give its path, which a library that is loaded later needs, too',
    );
  };
  return names.map((name) => {
    const path = find(name);
    if (!FOUNDATIONS.test(basename(path))) return path;
    throw new UserError(
      `--also ${printable(name)}: the agent stands on this library itself`,
      'leave it out; locks, threads and memory blocks of the program are traced without it',
    );
  });
}

/** A script's interpreter; libraries need not be executable. */
function executableOf(path: string): string {
  const program = tryTo(() => findProgram(path));
  return program.ok ? program.value.executable : path;
}

/** As `ldd` does: the loader lists what it would load, and does not start the program. */
function librariesOf(executable: string): string[] {
  const env = { ...process.env, LD_TRACE_LOADED_OBJECTS: '1' };
  const { stdout } = spawnSync(executable, { env, encoding: 'utf8', timeout: 10_000 });
  return [...(stdout ?? '').matchAll(/(?:=> |^\s*)(\/.*) \(0x[0-9a-f]+\)$/gm)].map(
    ([, path]) => path ?? '',
  );
}
