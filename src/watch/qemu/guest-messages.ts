/**
 * What the guest says over its serial port (init-script.ts), in lines:
 *
 *   failed insmod: can't insert '/deadheat/modules/a.ko': …
 *   symbols 824141          as many bytes follow: /proc/kallsyms, compressed
 *   ready                   it waits for a line of ours now
 *   ended 0                 the workload has; this is its exit status
 *
 * A guest is not to be trusted: what is none of these is an error.
 */
import { UserError } from '../../base/user-error.ts';

export type GuestMessage =
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'symbols'; readonly compressed: Uint8Array }
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly status: number };

const LONGEST_LINE = 4096;
const MOST_SYMBOLS = 1 << 28;

/** Bytes in, messages out, however the bytes were cut. */
export class GuestMessages {
  #bytes = Buffer.alloc(0);
  readonly #chunks: Buffer[] = [];
  #missing = 0;

  take(chunk: Uint8Array): GuestMessage[] {
    this.#chunks.push(Buffer.from(chunk));
    this.#missing -= chunk.length;
    // Megabytes that come in a thousand pieces are put together once.
    if (this.#missing > 0) return [];
    this.#bytes = Buffer.concat([this.#bytes, ...this.#chunks.splice(0)]);
    const messages: GuestMessage[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) messages.push(next);
    return messages;
  }

  #next(): GuestMessage | undefined {
    const end = this.#bytes.indexOf('\n');
    if (end < 0) {
      if (this.#bytes.length > LONGEST_LINE) throw nonsense(this.#bytes);
      return undefined;
    }
    const line = this.#bytes.toString('utf8', 0, end);
    const [, word, rest = ''] = /^(\w+)(?: (.*))?$/.exec(line) ?? [];
    if (word === 'symbols') return this.#symbols(end + 1, Number(rest));
    this.#bytes = this.#bytes.subarray(end + 1);
    if (word === 'ready') return { kind: 'ready' };
    if (word === 'ended' && /^\d+$/.test(rest)) return { kind: 'ended', status: Number(rest) };
    if (word === 'failed') return { kind: 'failed', why: rest };
    throw nonsense(Buffer.from(line));
  }

  #symbols(from: number, size: number): GuestMessage | undefined {
    if (!(size >= 0 && size <= MOST_SYMBOLS)) throw nonsense(this.#bytes);
    this.#missing = from + size - this.#bytes.length;
    if (this.#missing > 0) return undefined;
    const compressed = this.#bytes.subarray(from, from + size);
    this.#bytes = this.#bytes.subarray(from + size);
    return { kind: 'symbols', compressed };
  }
}

const nonsense = (bytes: Buffer): UserError =>
  new UserError(
    `the guest said what makes no sense: ${JSON.stringify(bytes.toString('latin1', 0, 60))}`,
    'does its workload write to /dev/vport0p1 or /dev/ttyS1? these are for us',
  );
