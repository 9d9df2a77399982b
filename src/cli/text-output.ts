/**
 * Text of any length, to the file the user named or (`-`) to stdout, a piece at a time: memory never
 * holds more than a piece, and a reader that is slow makes the writer wait.
 *
 * A file that could not be finished is removed. Once nobody reads stdout any more (`| head`), `write`
 * throws `ReaderIsGone`, which is no failure: `toOutput` ends quietly.
 */
import * as fs from 'node:fs';
import { blockFor } from '../base/block.ts';
import { encodeBytes } from '../base/bytes.ts';
import { cannotWrite } from './write-output.ts';

const PIECE = 1 << 16;
const STDOUT = 1;

class ReaderIsGone extends Error {}

export function toOutput(file: string, produce: (write: (text: string) => void) => void): void {
  const output = new TextOutput(file);
  try {
    produce((text) => output.write(text));
    output.flush();
  } catch (error) {
    output.discard();
    if (!(error instanceof ReaderIsGone)) throw error;
  } finally {
    output.close();
  }
}

class TextOutput {
  readonly #file: string;
  #fd: number | undefined;
  #pending = '';

  constructor(file: string) {
    this.#file = file;
  }

  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= PIECE) this.flush();
  }

  flush(): void {
    this.#fd ??= this.#open();
    const bytes = encodeBytes(this.#pending);
    this.#pending = '';
    for (let at = 0; at < bytes.length; ) at += this.#writeSome(this.#fd, bytes, at);
  }

  close(): void {
    if (this.#fd !== undefined && this.#fd !== STDOUT) fs.closeSync(this.#fd);
  }

  discard(): void {
    if (this.#fd === undefined || this.#fd === STDOUT) return;
    if (fs.fstatSync(this.#fd).isFile()) fs.rmSync(encodeBytes(this.#file), { force: true });
  }

  /** Only when there is something to write: what fails before that leaves an older file alone. */
  #open(): number {
    if (this.#file === '-') return STDOUT;
    try {
      return fs.openSync(encodeBytes(this.#file), 'w');
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }

  #writeSome(fd: number, bytes: Buffer, at: number): number {
    try {
      return fs.writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') throw new ReaderIsGone();
      if (code !== 'EAGAIN') throw cannotWrite(this.#file, error);
      // Somebody has made the pipe non-blocking.
      blockFor(5);
      return 0;
    }
  }
}
