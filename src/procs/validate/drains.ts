/** Reads what a program writes into pipes and terminals, and puts it into files. */
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, ReadStream } from 'node:tty';
import { encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import type { Drain } from '../replay/captured-output.ts';

/** Done when nobody can write there any more. */
export function drainInto({ from, into }: Drain): Promise<void> {
  const stream = isatty(from) ? new ReadStream(from) : new Socket({ fd: from, readable: true });
  const path = encodeBytes(into);
  return new Promise((resolve) => {
    // On a full disk the program gets on all the same; what it makes of that is not judged.
    stream.on('data', (bytes: Buffer) => void tryTo(() => appendFileSync(path, bytes)));
    // A terminal whose other end is closed answers with EIO.
    stream.on('error', () => resolve());
    stream.on('close', () => resolve());
    stream.on('end', () => resolve());
  });
}
