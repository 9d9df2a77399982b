/**
 * Reads RAPID's STD text into a trace, whatever its size: a piece at a time, and only names, locks and
 * threads are kept. The first mistake ends it, with its place:
 *
 *   trace.std:17:8: L is released, but nobody holds it
 *
 * Beside lines with events (line-parser.ts) there may be empty ones, and comments, which begin with #.
 * Lines may end in the way of Windows, the last one need not end at all, and a byte order mark in front
 * is skipped. What is checked of locks and threads is told in lock-rules.ts and thread-rules.ts.
 */
import * as fs from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/user-error.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import { MALFORMED, StdFault } from './fault.ts';
import { LineParser } from './line-parser.ts';

/** No line is longer. */
const PIECE = 1 << 20;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const HASH = 0x23;
const byteOrderMark = Buffer.from('\ufeff');

export function importStd(path: string, builder: ThreadTraceBuilder, pieceLength = PIECE): void {
  const file = open(path);
  try {
    new StdImport(path, file, builder, pieceLength).run();
  } finally {
    fs.closeSync(file);
  }
}

class StdImport {
  readonly #path: string;
  readonly #file: number;
  readonly #parser: LineParser;
  readonly #piece: Buffer;
  #line = 0;

  constructor(path: string, file: number, builder: ThreadTraceBuilder, pieceLength: number) {
    this.#path = path;
    this.#file = file;
    this.#parser = new LineParser(builder);
    this.#piece = Buffer.alloc(pieceLength);
  }

  run(): void {
    /** What is in the piece, of which a line without an end was left over from the one before. */
    let length = 0;
    let isFirst = true;
    for (;;) {
      const got = this.#readInto(length);
      length += got;
      const end = got === 0 ? length : this.#piece.lastIndexOf(NEWLINE, length - 1) + 1;
      if (end === 0 && length === this.#piece.length) {
        const what = `a line of more than ${length} bytes`;
        throw new UserError(`${this.#path}:${this.#line + 1}:1: ${what}`, MALFORMED);
      }
      const start = isFirst && this.#startsWithMark(length) ? byteOrderMark.length : 0;
      // The mark may come in two pieces.
      if (end > 0) isFirst = false;
      this.#takeLines(start, end);
      if (got === 0) return;
      this.#piece.copyWithin(0, end, length);
      length -= end;
    }
  }

  #takeLines(from: number, to: number): void {
    const piece = this.#piece;
    for (let start = from; start < to; ) {
      let end = piece.indexOf(NEWLINE, start);
      if (end < 0 || end >= to) end = to;
      this.#line++;
      this.#takeLine(start, end > start && piece[end - 1] === RETURN ? end - 1 : end);
      start = end + 1;
    }
  }

  #takeLine(start: number, end: number): void {
    if (start === end || this.#piece[start] === HASH || this.#isBlank(start, end)) return;
    try {
      this.#parser.parse(this.#piece, start, end, this.#line);
    } catch (error) {
      if (!(error instanceof StdFault)) throw error;
      const place = `${this.#path}:${this.#line}:${error.at - start + 1}`;
      throw new UserError(`${place}: ${error.message}`, error.remedy);
    }
  }

  #isBlank(start: number, end: number): boolean {
    if (this.#piece[start]! > 0x20) return false;
    for (let i = start; i < end; i++) {
      if (this.#piece[i] !== 0x20 && this.#piece[i] !== 0x09) return false;
    }
    return true;
  }

  #startsWithMark(length: number): boolean {
    return (
      length >= byteOrderMark.length &&
      this.#piece.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    );
  }

  #readInto(at: number): number {
    try {
      return fs.readSync(this.#file, this.#piece, at, this.#piece.length - at, null);
    } catch (error) {
      throw cannotRead(this.#path, error);
    }
  }
}

function open(path: string): number {
  try {
    return fs.openSync(encodeBytes(path), 'r');
  } catch (error) {
    throw cannotRead(path, error);
  }
}

function cannotRead(path: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException;
  return new UserError(`cannot read '${path}' (${code})`, 'name a file with a trace in STD format');
}
