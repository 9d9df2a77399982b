/**
 * The standard input of a program that runs once more: the same file, or a pipe that holds all that
 * was read the first time, and then ends.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { makePipe, makeSocketPair } from '../../linux/pipe.ts';
import { openAt } from '../../linux/reopen.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { StoredProgram } from './stored-program.ts';

const SMALLEST_PIPE = 65_536;
const LARGEST_PIPE = 1 << 20;

/** A descriptor, for the caller to close. */
export function openInput(
  {
    input,
    inputOffset = 0,
    inputIsSocket,
  }: Pick<StoredProgram, 'input' | 'inputOffset' | 'inputIsSocket'>,
  records: Iterable<TraceRecord>,
): number {
  if (input !== undefined) return openFile(input, inputOffset);
  const pieces: Buffer[] = [];
  for (const record of records) {
    if (record.kind === 'input') pieces.push(encodeBytes(record.data));
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.length > LARGEST_PIPE) {
    throw new UserError(
      `the program read ${bytes.length} bytes of input, more than a pipe can hold`,
      'record it with its input from a file: CMD < FILE',
    );
  }
  const [readEnd, writeEnd] =
    inputIsSocket && bytes.length <= SMALLEST_PIPE ? makeSocketPair() : pipeFor(bytes);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(writeEnd, bytes, sent);
  closeSync(writeEnd);
  return readEnd;
}

function openFile(input: string, offset: number): number {
  const fd = tryTo(() =>
    offset === 0 ? openSync(encodeBytes(input), 'r') : openAt({ path: input, offset }),
  );
  if (fd.ok) return fd.value;
  throw new UserError(
    `cannot open ${printable(input)}, which was the input of the program`,
    'put it back, or record the program again',
  );
}

function pipeFor({ length }: Buffer): readonly [number, number] {
  const { readEnd, writeEnd } = makePipe(Math.max(SMALLEST_PIPE, length));
  return [readEnd, writeEnd];
}
