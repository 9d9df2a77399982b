/**
 * Where somebody stood who has written to a watched variable: from a sample, which is behind the instruction, to
 * the instruction and its callers.
 *
 *   rip 0x1190        0x1189  mov [total],eax      set_total  bank.c:31
 *   return address    0x120b                       worker     bank.c:52
 *
 * If it was another section, under another lock, then what was written are its copies: the library has done it, at
 * the unlock. That is in a clone; what is told is where in the program that is.
 */
import { REDZONE } from '../../binary/rewrite/agent-interface.ts';
import type { LoadedImage, LoadedImages } from '../../debugger/loaded-images.ts';
import { frameRegisters, stackOf } from '../../debugger/stack-trace.ts';
import type { ThreadSample } from '../../linux/perf-samples.ts';
import type { Site } from '../../report/model.ts';
import type { RewrittenSections } from '../rewrite/rewrite-sections.ts';
import type { Intruder } from './intruders.ts';

/** Of the library in the program. */
const LIBRARY = /^libdeadheat-tolerate\.so$/;

export interface WriterStack {
  /** The innermost first; empty if nothing is known of it. */
  readonly sites: readonly Site[];
  /** It was a section, which let go of another lock. */
  readonly isSection: boolean;
}

export function writerStack(
  { sample, images }: Intruder,
  program: string,
  rewritten: RewrittenSections,
): WriterStack {
  const clones = new CloneImages(images, program, rewritten);
  const at = writerAddress(clones, sample);
  const registers = frameRegisters({
    get: (name) => (name === 'rip' ? at : sample.registers.get(name)),
  });
  const { from, bytes } = sample.stack;
  // In the middle of a clone's instruction, nobody knows where its stack is.
  const isKnown = !clones.isClone(at);
  const sites = stackOf(registers, clones, (address) => {
    if (!isKnown) return undefined;
    const offset = Number(address - from);
    return offset >= 0 && offset + 8 <= bytes.length ? bytes.readBigUInt64LE(offset) : undefined;
  });
  const isOurs = ({ module }: Site): boolean => LIBRARY.test(module ?? '');
  return { sites: sites.filter((site) => !isOurs(site)), isSection: sites.some(isOurs) };
}

const REPEATED = /^(f2|f3)(48)?(a4|a5|aa|ab)$/;

/** A string instruction that goes on stands on itself; all others are before where the thread stands. */
function writerAddress(images: Pick<LoadedImages, 'at'>, { registers }: ThreadSample): bigint {
  const rip = registers.get('rip');
  const here = images.at(rip);
  const own = here?.image.instructionAt(Number(rip - here.bias));
  if (own && registers.get('rcx') !== 0n && REPEATED.test(Buffer.from(own.bytes).toString('hex'))) {
    return rip;
  }
  const before = images.at(rip - 1n);
  const start = before?.image.instructionEndingAt(Number(rip - before.bias));
  return before === undefined || start === undefined ? rip - 1n : before.bias + BigInt(start);
}

/** `lea rsp,[rsp+128]`. */
const MOVED_BACK: readonly number[] = [0x48, 0x8d, 0xa4, 0x24, REDZONE, 0, 0, 0];

/** The files of the process, and clones as if they were what they are clones of. */
class CloneImages implements Pick<LoadedImages, 'at'> {
  readonly #images: LoadedImages;
  readonly #program: LoadedImage | undefined;
  readonly #rewritten: RewrittenSections;

  constructor(images: LoadedImages, program: string, rewritten: RewrittenSections) {
    this.#images = images;
    this.#program = images.find(program);
    this.#rewritten = rewritten;
  }

  at(address: bigint): LoadedImage | undefined {
    return this.isClone(address) ? this.#original(address) : this.#images.at(address);
  }

  isClone(address: bigint): boolean {
    const offset = this.#offset(address);
    return offset >= 0 && offset < this.#rewritten.blob.mapped.length;
  }

  #offset(address: bigint): number {
    const program = this.#program;
    return program ? Number(address - program.bias) - this.#rewritten.blob.base : -1;
  }

  #original(address: bigint): LoadedImage | undefined {
    const { image } = this.#program!;
    const offset = this.#offset(address);
    const clone = this.#rewritten.clones.find(({ start, end }) => offset >= start && offset < end);
    if (clone === undefined) return undefined;
    const { places, code } = clone;
    const place = places.findIndex((start, index) => {
      const next = places[index + 1];
      return next !== undefined && offset >= start && offset < next;
    });
    const original = code.instructions[place];
    if (original === undefined) return undefined;
    return { image, bias: address - BigInt(original.address), stackMoved: this.#moved(offset + 1) };
  }

  /** If this is where the library returns to, the stack is put back there. */
  #moved(offset: number): bigint | undefined {
    const { mapped } = this.#rewritten.blob;
    const isMove = MOVED_BACK.every((byte, index) => mapped[offset + index] === byte);
    return isMove ? BigInt(REDZONE) : undefined;
  }
}
