/**
 * The packets of the GDB remote protocol, as bytes of a connection.
 *
 *   framed('g')                    $g#67
 *   reader.push('+$0*"#bc')        { kind: 'ack' }, { kind: 'packet', payload: '00000000' }… as soon as all of it is there
 *
 * Between `$` (or `%`, of what the stub says unasked) and `#` with a checksum, `}` changes a bit of the byte behind it,
 * which so may be any byte, and `*` repeats the one before it: `0*"` is a zero and five more, as `"` is 29 + 5.
 * What comes may be cut anywhere, and be anything: bytes that no stub would send are `NotGdbProtocol`.
 */

/** Whoever answers there is no gdb stub, or a broken one; the message is the end of a sentence: 'it said "HTTP/1.1"'. */
export class NotGdbProtocol extends Error {
  override name = 'NotGdbProtocol';
}

export type Received =
  | { readonly kind: 'ack' }
  /** The other side wants to have the last packet once more. */
  | { readonly kind: 'again' }
  | { readonly kind: 'packet'; readonly payload: Buffer }
  | { readonly kind: 'notification'; readonly payload: Buffer }
  /** Its checksum is wrong. */
  | { readonly kind: 'damaged' };

const Byte = {
  packet: 0x24, // $
  notification: 0x25, // %
  end: 0x23, // #
  escape: 0x7d, // }
  repeat: 0x2a, // *
  ack: 0x2b, // +
  again: 0x2d, // -
} as const;
const ESCAPED_BIT = 0x20;
/** What `*` is followed by is the number of further copies and this, so that it can be printed. */
const REPEAT_BASE = 29;
const FEWEST_REPEATS = 3;
/** Of a payload. Stubs say how much they take, some thousands; what one sends is bounded by nothing else. */
const LONGEST = 1 << 20;
const SHOWN = 40;

export const INTERRUPT = Buffer.of(3);

export function framed(payload: Uint8Array | string): Buffer {
  const plain = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  const bytes: number[] = [Byte.packet];
  let sum = 0;
  const add = (byte: number): void => {
    bytes.push(byte);
    sum = (sum + byte) & 0xff;
  };
  for (const byte of plain) {
    if (isSpecial(byte)) {
      add(Byte.escape);
      add(byte ^ ESCAPED_BIT);
    } else add(byte);
  }
  const checksum = sum.toString(16).padStart(2, '0');
  bytes.push(Byte.end, checksum.charCodeAt(0), checksum.charCodeAt(1));
  return Buffer.from(bytes);
}

const isSpecial = (byte: number): boolean =>
  byte === Byte.packet || byte === Byte.end || byte === Byte.escape || byte === Byte.repeat;

export class PacketReader {
  /** From the start of a packet that is not yet complete. */
  #rest: Buffer = Buffer.alloc(0);
  /** Up to where it was looked through in vain. */
  #seen = 0;

  push(bytes: Uint8Array): Received[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
    const received: Received[] = [];
    let at = 0;
    while (at < this.#rest.length) {
      const lead = this.#rest[at]!;
      if (lead === Byte.ack || lead === Byte.again) {
        received.push({ kind: lead === Byte.ack ? 'ack' : 'again' });
        at++;
        continue;
      }
      if (lead !== Byte.packet && lead !== Byte.notification) this.#giveUp(at);
      const end = this.#rest.indexOf(Byte.end, Math.max(at + 1, this.#seen));
      this.#seen = 0;
      if (end < 0 || end + 2 >= this.#rest.length) {
        const waitsFrom = end < 0 ? this.#rest.length : end;
        if (waitsFrom - at > LONGEST) this.#giveUp(at);
        this.#seen = waitsFrom - at;
        break;
      }
      received.push(this.#packet(at, end));
      at = end + 3;
    }
    this.#rest = this.#rest.subarray(at);
    return received;
  }

  #packet(start: number, end: number): Received {
    const content = this.#rest.subarray(start + 1, end);
    let sum = 0;
    for (const byte of content) sum += byte;
    const checksum = this.#rest.toString('latin1', end + 1, end + 3);
    if (!/^[0-9a-f]{2}$/i.test(checksum) || Number.parseInt(checksum, 16) !== (sum & 0xff)) {
      return { kind: 'damaged' };
    }
    const payload = unescaped(content);
    if (payload === undefined) this.#giveUp(start);
    return { kind: this.#rest[start] === Byte.packet ? 'packet' : 'notification', payload };
  }

  #giveUp(at: number): never {
    const said = this.#rest.toString('latin1', at, at + SHOWN);
    this.#rest = Buffer.alloc(0);
    this.#seen = 0;
    throw new NotGdbProtocol(`it said ${JSON.stringify(said)}`);
  }
}

/** undefined if it means nothing: an escape with nothing behind it, a repetition of nothing, or of too much. */
function unescaped(content: Buffer): Buffer | undefined {
  if (!content.includes(Byte.escape) && !content.includes(Byte.repeat)) return Buffer.from(content);
  let bytes = Buffer.alloc(content.length * 2);
  let length = 0;
  const makeRoom = (count: number): boolean => {
    if (length + count > LONGEST) return false;
    if (length + count > bytes.length) {
      bytes = Buffer.concat([bytes], Math.max(bytes.length * 2, length + count));
    }
    return true;
  };
  for (let at = 0; at < content.length; at++) {
    const byte = content[at]!;
    if (byte === Byte.repeat) {
      const count = (content[++at] ?? 0) - REPEAT_BASE;
      if (length === 0 || count < FEWEST_REPEATS || !makeRoom(count)) return undefined;
      bytes.fill(bytes[length - 1]!, length, length + count);
      length += count;
      continue;
    }
    if (!makeRoom(1)) return undefined;
    if (byte !== Byte.escape) bytes[length++] = byte;
    else if (++at < content.length) bytes[length++] = content[at]! ^ ESCAPED_BIT;
    else return undefined;
  }
  return bytes.subarray(0, length);
}
