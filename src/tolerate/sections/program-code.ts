/**
 * The code of an image as a traversal needs it: each instruction has a number, over all functions, and from each
 * it is known where it leads.
 *
 *   const program = new ProgramCode(elf);
 *   program.flow(program.spotAt(0x1139)!)     // { kind: 'calls', callee: { kind: 'import', name: 'puts' }, next: 18 }
 */
import { FlowControl } from 'iced-x86';
import { firstIndex } from '../../base/bisect.ts';
import { tryTo } from '../../base/result.ts';
import { isComputedJump, isTailCall, switchTargets } from '../../binary/code/computed-jumps.ts';
import type { FunctionCode } from '../../binary/code/function-code.ts';
import { fallsThrough } from '../../binary/code/function-code.ts';
import { findFunctions } from '../../binary/code/functions.ts';
import type { Instruction } from '../../binary/code/instruction.ts';
import type { ElfFile } from '../../binary/elf/elf-file.ts';
import { type Imports, readImports } from '../../binary/elf/imports.ts';
import { imageAddress } from '../../binary/image-address.ts';
import { constantData } from '../../binary/rewrite/constant-data.ts';
import { knownEntries } from '../../binary/rewrite/known-entries.ts';
import { type Fde, readEhFrame } from '../../binary/unwind/eh-frame.ts';
import { type CallSite, readExceptTable } from '../../binary/unwind/except-table.ts';

/** The number of an instruction. */
export type Spot = number;

export interface ProgramFunction {
  readonly code: FunctionCode;
  readonly fde: Fde;
  /** The number of its first instruction. */
  readonly first: Spot;
  /** Where exceptions are caught, by call; undefined if the function has no such table. */
  readonly callSites: readonly CallSite[] | undefined;
}

export type Callee =
  | { readonly kind: 'import'; readonly name: string }
  | { readonly kind: 'function'; readonly spot: Spot }
  | { readonly kind: 'computed' }
  /** One that cannot be taken apart. */
  | { readonly kind: 'unreadable'; readonly name: string; readonly why: string };

export type Flow =
  | { readonly kind: 'goes'; readonly to: readonly Spot[] }
  /** `next` is undefined for a tail call, after which the function's caller goes on. */
  | { readonly kind: 'calls'; readonly callee: Callee; readonly next: Spot | undefined }
  | { readonly kind: 'returns' }
  | { readonly kind: 'stops' }
  | { readonly kind: 'lost'; readonly why: string };

/** What an exception does that comes out of a call: where it is caught, if it is. */
export type Thrown = Spot | 'passes' | 'ends';

export class ProgramCode {
  readonly elf: ElfFile;
  readonly imports: Imports;
  /** In the order of their addresses. */
  readonly functions: readonly ProgramFunction[];
  /** Whether there may be exceptions at all. */
  readonly isCpp: boolean;
  readonly #unreadable = new Map<number, { name: string; why: string }>();
  readonly #switches = new Map<FunctionCode, readonly Spot[]>();
  readonly #flows: (Flow | undefined)[] = [];
  /** The place in `functions`, by spot. */
  readonly #owners: Int32Array;
  readonly #entries: ReadonlySet<number>;

  constructor(elf: ElfFile) {
    this.elf = elf;
    this.imports = readImports(elf);
    this.isCpp = [...this.imports.slots.values()].some((name) => EXCEPTIONS.has(name));
    const { fdes } = readEhFrame(elf);
    this.#entries = knownEntries(elf, fdes);
    const functions: ProgramFunction[] = [];
    let first = 0;
    for (const { name, fde, code } of findFunctions(elf, fdes)) {
      if (!code.ok) {
        this.#unreadable.set(fde.start, { name, why: code.error });
        continue;
      }
      functions.push({ code: code.value, fde, first, callSites: callSitesOf(elf, fde) });
      first += code.value.instructions.length;
    }
    this.functions = functions;
    this.#owners = new Int32Array(first);
    for (const [place, one] of functions.entries()) {
      this.#owners.fill(place, one.first, one.first + one.code.instructions.length);
    }
  }

  functionOf(spot: Spot): ProgramFunction {
    return this.functions[this.#owners[spot]!]!;
  }

  instruction(spot: Spot): Instruction {
    const { code, first } = this.functionOf(spot);
    return code.instructions[spot - first]!;
  }

  bytesOf(spot: Spot): Uint8Array {
    const { code, first } = this.functionOf(spot);
    const { address, length } = code.instructions[spot - first]!;
    return code.bytes.subarray(address - code.start, address - code.start + length);
  }

  /** undefined where there is no instruction of a function that can be taken apart. */
  spotAt(address: number): Spot | undefined {
    const { functions } = this;
    const found = functions[firstIndex(functions, ({ code }) => code.start > address) - 1];
    const place = found?.code.places.get(address);
    return place === undefined ? undefined : found!.first + place;
  }

  flow(spot: Spot): Flow {
    const known = this.#flows[spot];
    if (known) return known;
    const flow = this.#flowOf(spot);
    this.#flows[spot] = flow;
    return flow;
  }

  importOf({ target, relativeOperand }: Instruction): string | undefined {
    const { stubs, slots } = this.imports;
    return stubs.get(imageAddress(target)) ?? slots.get(imageAddress(relativeOperand));
  }

  /** Of a call that throws. */
  thrown(spot: Spot): Thrown {
    const { callSites } = this.functionOf(spot);
    if (callSites === undefined) return 'passes';
    const { address } = this.instruction(spot);
    const site = callSites.find(({ start, end }) => address >= start && address < end);
    if (site === undefined) return 'ends';
    return site.landingPad === undefined ? 'passes' : (this.spotAt(site.landingPad) ?? 'passes');
  }

  #flowOf(spot: Spot): Flow {
    const { code, first } = this.functionOf(spot);
    const place = spot - first;
    const instruction = code.instructions[place]!;
    const next = place + 1 < code.instructions.length ? spot + 1 : undefined;
    switch (instruction.flow) {
      case FlowControl.Call:
      case FlowControl.IndirectCall:
        return { kind: 'calls', callee: this.#calleeOf(instruction), next };
      case FlowControl.Return:
        return { kind: 'returns' };
      case FlowControl.Exception:
        return { kind: 'stops' };
      case FlowControl.IndirectBranch:
        return this.#computedJump(code, place, instruction);
      case FlowControl.UnconditionalBranch:
      case FlowControl.ConditionalBranch:
        return this.#jump(instruction, next);
      default:
        return fallsThrough(instruction) && next !== undefined
          ? { kind: 'goes', to: [next] }
          : { kind: 'stops' };
    }
  }

  #jump(instruction: Instruction, next: Spot | undefined): Flow {
    const falls = instruction.flow === FlowControl.ConditionalBranch && next !== undefined;
    const target = this.spotAt(instruction.target);
    if (target !== undefined) return { kind: 'goes', to: falls ? [next, target] : [target] };
    // A tail call of an import, or of what cannot be taken apart. One with a condition is rare.
    if (!falls) return { kind: 'calls', callee: this.#calleeOf(instruction), next: undefined };
    return { kind: 'lost', why: `a jump at ${hexed(instruction.address)} leads to unknown code` };
  }

  #computedJump(code: FunctionCode, place: number, instruction: Instruction): Flow {
    const name = this.importOf(instruction);
    if (name !== undefined) {
      return { kind: 'calls', callee: { kind: 'import', name }, next: undefined };
    }
    if (isComputedJump(instruction) && isTailCall(code, place)) {
      return { kind: 'calls', callee: { kind: 'computed' }, next: undefined };
    }
    const to = this.#switchSpots(code);
    return to.length > 0
      ? { kind: 'goes', to }
      : { kind: 'lost', why: `where the jump at ${hexed(instruction.address)} leads is computed` };
  }

  #switchSpots(code: FunctionCode): readonly Spot[] {
    const known = this.#switches.get(code);
    if (known) return known;
    const targets = switchTargets(code, constantData(this.elf), this.#entries);
    const spots = [...targets].flatMap((address) => this.spotAt(address) ?? []);
    this.#switches.set(code, spots);
    return spots;
  }

  #calleeOf(instruction: Instruction): Callee {
    const name = this.importOf(instruction);
    if (name !== undefined) return { kind: 'import', name };
    if (instruction.flow === FlowControl.IndirectCall) return { kind: 'computed' };
    const spot = this.spotAt(instruction.target);
    if (spot !== undefined) return { kind: 'function', spot };
    const unreadable = this.#unreadable.get(instruction.target);
    const fallback = { name: hexed(instruction.target), why: 'it has no unwind information' };
    return { kind: 'unreadable', ...(unreadable ?? fallback) };
  }
}

const EXCEPTIONS: ReadonlySet<string> = new Set([
  ...['__cxa_throw', '__cxa_begin_catch', '_Unwind_Resume'],
]);

export const hexed = (address: number): string => `0x${address.toString(16)}`;

function callSitesOf(elf: ElfFile, { lsda, start }: Fde): readonly CallSite[] | undefined {
  if (lsda === undefined) return undefined;
  const table = tryTo(() => readExceptTable(elf, lsda, start));
  return table.ok ? table.value.callSites : undefined;
}
