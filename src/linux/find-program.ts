/**
 * From the command that the user gave to the executable that an agent of ours gets into. A script's is that of its
 * interpreter:
 *
 *   ./queue --fast         ./queue
 *   ./run.sh               /bin/sh             #!/bin/sh -e
 *   ./serve.py             /usr/bin/python3    #!/usr/bin/env python3
 *   env X=1 ./queue        /usr/bin/env: what a command starts in turn is for --also to name
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { decodeBytes, encodeBytes, printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { resolveExecutable } from './executable.ts';

export interface FoundProgram {
  /** What the kernel is to execute. */
  readonly path: string;
  /** Whose functions are looked at. */
  readonly executable: string;
  /** The script that is run by that executable. */
  readonly script?: string;
}

/** BINPRM_BUF_SIZE, <linux/binfmts.h>: the kernel reads no more of the first line. */
const LONGEST_LINE = 256;
/** As the kernel, which then says ELOOP. */
const MOST_INTERPRETERS = 5;

export function findProgram(command: string): FoundProgram {
  const path = resolveExecutable(command);
  let executable = path;
  for (let depth = 0; ; depth++) {
    const interpreter = interpreterOf(executable);
    if (interpreter === undefined) break;
    if (depth === MOST_INTERPRETERS) {
      throw new UserError(
        `cannot run '${printable(path)}': its interpreter is a script, and so on without end`,
        'check its first line',
      );
    }
    executable = resolveExecutable(interpreter);
  }
  return { path, executable, ...(executable !== path && { script: path }) };
}

/** What `#!` names; undefined if it is no script, or may not be read. */
function interpreterOf(path: string): string | undefined {
  const line = firstLine(path);
  if (line === undefined || !line.startsWith('#!')) return undefined;
  const [interpreter = '', ...words] = line
    .slice(2)
    .trim()
    .split(/[ \t]+/);
  if (basename(interpreter) !== 'env') return interpreter;
  // `env -S python3 -u`, `env LANG=C python3`
  return words.find((word) => !word.startsWith('-') && !word.includes('=')) ?? interpreter;
}

function firstLine(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(encodeBytes(path), 'r');
  } catch {
    return undefined;
  }
  try {
    const bytes = Buffer.alloc(LONGEST_LINE);
    const length = readSync(fd, bytes, 0, bytes.length, 0);
    return decodeBytes(bytes.subarray(0, length)).split('\n')[0];
  } finally {
    closeSync(fd);
  }
}
