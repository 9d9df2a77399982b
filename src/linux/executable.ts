/**
 * Finds the program a user named and says in plain words why it cannot be run, before anything is
 * started or made.
 */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { encodeBytes, printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';

/** Offsets and values of the ELF header, <elf.h>. */
const ELF_MAGIC = '\x7fELF';
const EI_CLASS = 4;
const ELFCLASS64 = 2;
const E_MACHINE = 18;
const EM_X86_64 = 62;

/** What execvp uses when there is no PATH. */
const DEFAULT_PATH = '/bin:/usr/bin';

/** The path of `command` as execvp would find it; throws a `UserError` with the remedy. */
export function resolveExecutable(
  command: string,
  searchPath = process.env.PATH ?? DEFAULT_PATH,
): string {
  const path = command.includes('/') ? command : findOnPath(command, searchPath);
  requireRunnable(path);
  requireKnownFormat(path);
  return path;
}

function findOnPath(command: string, searchPath: string): string {
  for (const directory of searchPath.split(delimiter)) {
    const candidate = join(directory === '' ? '.' : directory, command);
    if (isFile(candidate) && isExecutable(candidate)) return candidate;
  }
  throw new UserError(
    `no program named '${printable(command)}' on PATH`,
    'check the spelling, or give its path, such as ./program',
  );
}

function requireRunnable(path: string): void {
  const shown = printable(path);
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(encodeBytes(path));
  } catch (error) {
    throw new UserError(`cannot run '${shown}': ${reason(error)}`, 'check the path of the program');
  }
  if (stats.isDirectory()) {
    throw new UserError(`cannot run '${shown}': it is a directory`, 'name a program inside it');
  }
  if (!stats.isFile()) {
    throw new UserError(`cannot run '${shown}': not a regular file`, 'name a program');
  }
  if (!isExecutable(path)) {
    throw new UserError(`cannot run '${shown}': not executable`, `chmod +x '${shown}'`);
  }
}

function requireKnownFormat(path: string): void {
  const shown = printable(path);
  const head = readHead(path);
  if (head === undefined || head.toString('latin1', 0, 2) === '#!') return;
  if (head.toString('latin1', 0, 4) !== ELF_MAGIC) {
    throw new UserError(
      `cannot run '${shown}': neither an ELF program nor a script that starts with #!`,
      `start it through its interpreter, such as: sh '${shown}'`,
    );
  }
  if (head[EI_CLASS] !== ELFCLASS64 || head.readUInt16LE(E_MACHINE) !== EM_X86_64) {
    throw new UserError(
      `cannot run '${shown}': not a 64-bit x86 program`,
      'build it for x86-64 (32-bit and foreign programs are not supported)',
    );
  }
}

/** The first bytes, or `undefined` for a program that may be run but not read (mode 0111). */
function readHead(path: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(encodeBytes(path), 'r');
  } catch {
    return undefined;
  }
  try {
    const head = Buffer.alloc(20);
    readSync(fd, head, 0, head.length, 0);
    return head;
  } finally {
    closeSync(fd);
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(encodeBytes(path)).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(encodeBytes(path), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such file';
  if (code === 'EACCES') return 'a directory on the way may not be searched (EACCES)';
  return String(code);
}
