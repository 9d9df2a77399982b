/**
 * The instructions that threads are to be stopped at, in a running process: where they are there, and a
 * breakpoint at each. What is in a library that comes later gets one when it has come, which the loader says.
 */
import { printable } from '../../base/bytes.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { hex } from '../../binary/byte-reader.ts';
import { LONGEST_INSTRUCTION, movableInstruction } from '../../binary/code/movable-instruction.ts';
import { isTouchingCall } from '../../binary/code/touched-by-call.ts';
import { tellsWhatItTouches } from '../../binary/code/touched-memory.ts';
import { type ImageFiles, type LoadedImage, LoadedImages } from '../../debugger/loaded-images.ts';
import type { TouchingPlace } from '../../debugger/touched-at.ts';
import type { Breakpoints } from '../../linux/breakpoints.ts';
import { type Pid, type Tid, type TraceeAddress, traceeAddress } from '../../linux/ids.ts';
import { loaderCallback } from '../../linux/loader.ts';
import { readMemory } from '../../linux/process-memory.ts';
import type { AtomicStep, CodePlace, RacingSides } from './side.ts';

/** What there is to know of an instruction that a thread has come to. */
export interface RacingPlace extends TouchingPlace {
  /** Which sides it is: both, perhaps. */
  readonly sides: readonly (0 | 1)[];
  readonly atomics: readonly AtomicStep[];
}

/** A library's address in the process, or an executable's. */
export class RacingCode {
  readonly #process: Pid;
  readonly #breakpoints: Breakpoints;
  readonly #files: ImageFiles;
  readonly #wanted = new Map<string, CodePlace>();
  readonly #race: RacingSides;
  readonly #places = new Map<bigint, RacingPlace>();
  #callback: TraceeAddress | undefined;

  constructor(process: Pid, breakpoints: Breakpoints, files: ImageFiles, race: RacingSides) {
    this.#process = process;
    this.#breakpoints = breakpoints;
    this.#files = files;
    this.#race = race;
    const codes = [...race.sides, ...(race.atomics ?? [])].map(({ code }) => code);
    for (const code of codes) this.#wanted.set(nameOf(code), code);
  }

  /** Files that are not loaded yet. */
  get missing(): readonly string[] {
    return [...new Set([...this.#wanted.values()].map(({ path }) => path))];
  }

  at(address: TraceeAddress): RacingPlace | undefined {
    return this.#places.get(address);
  }

  isLoader(address: TraceeAddress): boolean {
    return address === this.#callback;
  }

  /** In all that is loaded by now; the reason, if a thread cannot be made to stand there. */
  insert(task: Tid): Result<void, string> {
    const images = new LoadedImages(this.#process, this.#files);
    for (const [name, code] of this.#wanted) {
      const loaded = images.find(code.path);
      if (loaded === undefined) continue;
      const inserted = this.#insertAt(task, code, loaded);
      if (!inserted.ok) return inserted;
      this.#wanted.delete(name);
    }
    if (this.#wanted.size > 0 && this.#callback === undefined) this.#listenToLoader(task, images);
    return ok(undefined);
  }

  #insertAt(task: Tid, code: CodePlace, { bias, image }: LoadedImage): Result<void, string> {
    const name = nameOf(code);
    const known = image.instructionAt(code.address);
    const callee = known?.callee;
    const isUnknownCall = callee !== undefined && !isTouchingCall(callee);
    if (known === undefined || isUnknownCall) return err(unknownTouch(name, callee));
    const address = traceeAddress(bias + BigInt(known.address));
    const bytes = readMemory(task, address, LONGEST_INSTRUCTION);
    if (!bytes.subarray(0, known.bytes.length).equals(known.bytes)) {
      return err(`no thread can be held at ${name}: the program has changed its code there`);
    }
    const movable = movableInstruction(bytes, Number(address));
    if (!movable.ok) return err(`no thread can be held at ${name}: ${movable.error}`);
    const { instruction } = movable.value;
    if (callee === undefined && !tellsWhatItTouches(instruction, known.bytes)) {
      return err(unknownTouch(name));
    }
    this.#breakpoints.insert(task, address, movable.value);
    const isHere = (other: { readonly code: CodePlace }): boolean => nameOf(other.code) === name;
    this.#places.set(address, {
      instruction,
      callee,
      sides: ([0, 1] as const).filter((side) => isHere(this.#race.sides[side])),
      atomics: (this.#race.atomics ?? []).filter(isHere),
    });
    return ok(undefined);
  }

  /** Without it, what is loaded later is not found. */
  #listenToLoader(task: Tid, images: LoadedImages): void {
    const dynamic = images.dynamicTableOf(this.#process);
    const callback = dynamic && loaderCallback(task, dynamic);
    if (!callback) return;
    const code = movableInstruction(
      readMemory(task, callback, LONGEST_INSTRUCTION),
      Number(callback),
    );
    if (!code.ok) return;
    this.#callback = callback;
    this.#breakpoints.insert(task, callback, code.value);
  }
}

const nameOf = ({ path, address }: CodePlace): string => `${hex(address)} of ${printable(path)}`;

const unknownTouch = (name: string, callee = 'it'): string =>
  `no thread can be held at ${name}: what ${callee} touches is not known`;
