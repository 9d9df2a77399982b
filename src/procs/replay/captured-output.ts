/**
 * Where the output of a program goes that runs once more: into files, by way of the same kind of
 * thing that it had when it was recorded. Pipes and terminals have to be emptied while it runs,
 * which somebody else does, since whoever runs the program is busy with that.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { makePipe, makeSocketPair } from '../../linux/pipe.ts';
import { openPseudoTerminal } from '../../linux/pseudo-terminal.ts';
import type { OutputKind, StoredProgram } from './stored-program.ts';

/** What is to be read to its end, and closed, and put into a file. */
export interface Drain {
  readonly from: number;
  readonly into: string;
}

export interface CapturedOutput {
  /** The program's 1 and 2, for the caller to close; undefined for closed ones. */
  readonly descriptors: readonly [number | undefined, number | undefined];
  /** The files. */
  readonly stdout: string;
  readonly stderr: string;
  readonly drains: readonly Drain[];
}

const PIPE_CAPACITY = 65_536;

export function captureOutput(
  { stdout, stderr, sharesOutput }: Pick<StoredProgram, 'stdout' | 'stderr' | 'sharesOutput'>,
  folder: string,
): CapturedOutput {
  const drains: Drain[] = [];
  const [out, err] = [join(folder, 'stdout'), join(folder, 'stderr')];
  const first = open(stdout, out, drains);
  if (sharesOutput) return { descriptors: [first, first], stdout: out, stderr: out, drains };
  return { descriptors: [first, open(stderr, err, drains)], stdout: out, stderr: err, drains };
}

function open(kind: OutputKind, path: string, drains: Drain[]): number | undefined {
  // So that there is a file to look into, in any case.
  const file = openSync(encodeBytes(path), kind === 'appended file' ? 'a' : 'w', 0o600);
  if (kind === 'file' || kind === 'appended file') return file;
  closeSync(file);
  switch (kind) {
    case 'closed':
      return undefined;
    case 'null':
      return openSync('/dev/null', 'w');
    case 'pipe': {
      const { readEnd, writeEnd } = makePipe(PIPE_CAPACITY);
      drains.push({ from: readEnd, into: path });
      return writeEnd;
    }
    case 'socket': {
      const [ours, theirs] = makeSocketPair();
      drains.push({ from: ours, into: path });
      return theirs;
    }
    case 'terminal': {
      const { controlling, terminal } = openPseudoTerminal();
      drains.push({ from: controlling, into: path });
      return terminal;
    }
  }
}
