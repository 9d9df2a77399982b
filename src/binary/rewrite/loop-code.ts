/**
 * The code of loops that are told as a whole (hoisted-loops.ts):
 *
 *           log the way in
 *   again:  …
 *           je  left            to where this way out is logged
 *           …
 *           jne again           the way in is not logged again
 *           log the way out
 *           jmp on
 *   left:   log the other way out
 *           jmp found
 *   on:     …
 *
 * All that stands within the function, where the loop is: what tells how to unwind there is right for it, too.
 */
import type { FunctionCode } from '../code/function-code.ts';
import { fallsThrough } from '../code/function-code.ts';
import { ALL_REGISTERS } from '../code/general-registers.ts';
import type { NumberedGroup } from './access-groups.ts';
import { jump } from './assembly.ts';
import type { CloneLogging, OpenReference } from './clone.ts';
import type { CodeBuffer } from './code-buffer.ts';
import type { HoistedLoop } from './hoisted-loops.ts';
import { emitLogging, type FullPath } from './logging-code.ts';

export interface NumberedLoop extends Pick<HoistedLoop, 'start' | 'end'> {
  readonly exits: readonly NumberedExit[];
}

export interface NumberedExit {
  readonly place: number;
  readonly isJump: boolean;
  readonly group: NumberedGroup;
}

/** Takes the 32 bits of a jump, and where they are to lead. */
export type Refer = (at: number, target: number) => void;

export class LoopCode {
  readonly #to: CodeBuffer;
  readonly #code: FunctionCode;
  readonly #logging: CloneLogging;
  readonly #byStart = new Map<number, NumberedLoop>();
  /** The one whose instructions are being copied. */
  #loop: NumberedLoop | undefined;
  #head = 0;
  readonly #left: (OpenReference & { readonly exit: NumberedExit })[] = [];

  constructor(to: CodeBuffer, code: FunctionCode, logging: CloneLogging) {
    this.#to = to;
    this.#code = code;
    this.#logging = logging;
    for (const loop of logging.loops) this.#byStart.set(loop.start, loop);
  }

  /** An instruction is about to be copied; what is logged before it has been. */
  before(place: number): void {
    const loop = this.#byStart.get(place);
    if (loop === undefined) return;
    this.#loop = loop;
    this.#head = this.#to.length;
  }

  /** Who points its jump to where it leads; undefined: it is a jump like any other. */
  referOf(place: number): Refer | undefined {
    if (this.#loop?.end === place) {
      const head = this.#to.base + this.#head;
      return (at) => this.#to.pointTo(head, at);
    }
    const exit = this.#loop?.exits.find((one) => one.place === place);
    return exit && ((at, target) => this.#left.push({ at, target, exit }));
  }

  /** It was copied: at a loop's end, its ways out follow. */
  after(place: number, references: OpenReference[], fullPaths: FullPath[]): void {
    const loop = this.#loop;
    if (loop?.end !== place) return;
    const to = this.#to;
    const log = (exit: NumberedExit, next: number): void => {
      const { aliveRegisters, aliveFlags } = this.#logging;
      const alive = next < 0 ? ALL_REGISTERS : aliveRegisters[next]!;
      const needsFlags = next < 0 || aliveFlags[next] === 1;
      fullPaths.push(emitLogging(to, exit.group, exit.group.number, alive, needsFlags));
    };
    const last = loop.exits.find((exit) => !exit.isJump);
    if (last) log(last, place + 1);
    const goesOn = fallsThrough(this.#code.instructions[place]!) && this.#left.length > 0;
    const over = goesOn ? jump(to) : undefined;
    for (const { at, target, exit } of this.#left) {
      to.pointTo(to.address, at);
      log(exit, this.#code.jumps[exit.place]!);
      references.push({ at: jump(to), target });
    }
    if (over !== undefined) to.pointTo(to.address, over);
    this.#left.length = 0;
    this.#loop = undefined;
  }
}
