/** A file as the stub's machine has it: gdbserver opens and reads it for us. undefined if it does not. */
import type { GdbConnection } from './connection.ts';

const LARGEST = 1 << 30;

export async function readRemoteFile(
  connection: GdbConnection,
  path: Uint8Array,
): Promise<Buffer | undefined> {
  const hex = Buffer.from(path).toString('hex');
  const opened = /^F([0-9a-f]+)$/i.exec(await connection.ask(`vFile:open:${hex},0,0`));
  if (opened === null) return undefined;
  const pieces: Buffer[] = [];
  let length = 0;
  while (length < LARGEST) {
    const place = `${PIECE.toString(16)},${length.toString(16)}`;
    const answer = await connection.request(`vFile:pread:${opened[1]},${place}`);
    const from = answer.indexOf(';') + 1;
    if (answer[0] !== 0x46 || from === 0 || from === answer.length) break; // F
    pieces.push(answer.subarray(from));
    length += answer.length - from;
  }
  await connection.ask(`vFile:close:${opened[1]}`);
  return Buffer.concat(pieces);
}

/** Bytes that must be escaped take twice the room. */
const PIECE = 0x1000;
