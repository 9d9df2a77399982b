/**
 * Memory behind a stub. A request gives no more than fits into a packet, and all or nothing: so what is read is cut
 * into pieces that do not cross pages, several of which are under way at once where the stub can cope with that.
 *
 *   read(0xffffffff82001f00n, 0x300)      two requests: 0x100 bytes at …1f00 and 0x200 at …2000
 */
import type { GdbConnection } from './connection.ts';

const PAGE = 4096;
/** Enough to keep a stub busy while answers are on their way. */
const AT_ONCE = 32;

export interface StubMemoryOptions {
  /** How long a packet may be. */
  readonly packetSize: number;
  /** It answers `x` with bytes as they are, instead of hexadecimal digits. */
  readonly sendsBinary: boolean;
  /** It takes further requests before it has answered the first. */
  readonly takesSeveral: boolean;
}

export class StubMemory {
  readonly #stub: GdbConnection;
  readonly #piece: number;
  readonly #sendsBinary: boolean;
  readonly #atOnce: number;

  constructor(stub: GdbConnection, { packetSize, sendsBinary, takesSeveral }: StubMemoryOptions) {
    this.#stub = stub;
    const most = Math.min(PAGE, Math.max(2, packetSize) >> 1);
    this.#piece = 2 ** Math.floor(Math.log2(most));
    this.#sendsBinary = sendsBinary;
    this.#atOnce = takesSeveral ? AT_ONCE : 1;
  }

  /** As much as there is, from the start. */
  async read(address: bigint, size: number): Promise<Uint8Array> {
    const pieces: Buffer[] = [];
    let at = address;
    let left = size;
    while (left > 0) {
      const requests: Promise<Buffer>[] = [];
      const sizes: number[] = [];
      for (let count = 0; count < this.#atOnce && left > 0; count++) {
        const length = Math.min(left, this.#piece - Number(at % BigInt(this.#piece)));
        requests.push(this.#readPiece(at, length));
        sizes.push(length);
        at += BigInt(length);
        left -= length;
      }
      const answers = await Promise.all(requests);
      for (const [index, bytes] of answers.entries()) {
        pieces.push(bytes);
        if (bytes.length < sizes[index]!) return Buffer.concat(pieces);
      }
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  async #readPiece(address: bigint, size: number): Promise<Buffer> {
    const place = `${address.toString(16)},${size.toString(16)}`;
    if (this.#sendsBinary) {
      const answer = await this.#stub.request(`x${place}`);
      return answer[0] === 0x62 ? answer.subarray(1, 1 + size) : Buffer.alloc(0); // b
    }
    const answer = await this.#stub.ask(`m${place}`);
    // An error is E and two digits.
    if (answer.length % 2 !== 0) return Buffer.alloc(0);
    return Buffer.from(answer, 'hex').subarray(0, size);
  }
}
