/**
 * Texts in events, of which most have been met before: a compiler asks for the same few hundred
 * paths again and again. To make a string of bytes costs as much as all the rest of reading an
 * event, and to compare them with those of last time a tenth of that.
 *
 *   "/usr/include/stdio.h"   →   place 1234 of the table   →   the same bytes: the same string
 *
 * Texts that fight for one place take turns; that costs time and does no harm. Instead of the string
 * itself, something that stands for it can be kept: its number in a recording.
 */
import { textAt, u32 } from './event-fields.ts';

const PLACES = 4096;
/** A longer text is rarely met twice. */
const LONGEST = 256;

interface Known<T> {
  words: Uint32Array;
  value: T;
  length: number;
}

export class TextCache<T> {
  readonly #known: (Known<T> | undefined)[] = Array(PLACES).fill(undefined);
  readonly #kept: (text: string) => T;

  constructor(keptFor: (text: string) => T) {
    this.#kept = keptFor;
  }

  /** Bytes `start` to `end` of an event; `start` and what is behind the event are aligned to 4. */
  at(event: DataView, start: number, end: number): T {
    const length = end - start;
    if (length <= 0 || length > LONGEST) return this.#kept(textAt(event, start, end));
    const whole = start + (length & ~3);
    let hash = length;
    for (let at = start; at < whole; at += 4) hash = Math.imul(hash ^ u32(event, at), 0x9e37_79b1);
    const rest = restOf(event, whole, end);
    hash = Math.imul(hash ^ rest, 0x9e37_79b1);
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    const known = this.#known[place];
    if (known?.length === length && isSame(known.words, event, start, whole, rest)) {
      return known.value;
    }
    const value = this.#kept(textAt(event, start, end));
    this.#known[place] = { words: wordsOf(event, start, whole, rest), value, length };
    return value;
  }
}

/** The up to three bytes that are no whole word. */
function restOf(event: DataView, whole: number, end: number): number {
  let rest = 0;
  for (let at = whole; at < end; at++) rest = (rest << 8) | event.getUint8(at);
  return rest;
}

function isSame(
  words: Uint32Array,
  event: DataView,
  start: number,
  whole: number,
  rest: number,
): boolean {
  let index = 0;
  for (let at = start; at < whole; at += 4) if (words[index++] !== u32(event, at)) return false;
  return words[index] === rest;
}

function wordsOf(event: DataView, start: number, whole: number, rest: number): Uint32Array {
  const words = new Uint32Array((whole - start) / 4 + 1);
  for (let index = 0; index < words.length - 1; index++)
    words[index] = u32(event, start + 4 * index);
  words[words.length - 1] = rest;
  return words;
}
