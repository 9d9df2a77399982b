/** By which to know a recording again, wherever it is copied to: what was proven of it holds for it alone. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import type { Run } from './run-directory.ts';

/** Recordings may be larger than memory. */
const PIECE = 1 << 20;

export function fingerprint({ traceFile }: Pick<Run, 'traceFile'>): string {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE);
  const file = openSync(encodeBytes(traceFile), 'r');
  try {
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) {
      hash.update(piece.subarray(0, length));
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
