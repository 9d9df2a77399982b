/**
 * The functions of an image: one for each entry of its unwind tables that lies in code. Most have names; a
 * stripped program's are told by their addresses. `f` and `f.cold`, the part of it that is seldom needed, are
 * two of them, which jump into each other.
 */
import { FlowControl, Mnemonic } from 'iced-x86';
import { tellProgress } from '../../base/progress.ts';
import { err, ok, type Result, tryTo } from '../../base/result.ts';
import { SectionFlag } from '../elf/constants.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { functionIndex } from '../elf/symbol-index.ts';
import { imageAddress } from '../image-address.ts';
import type { Fde } from '../unwind/eh-frame.ts';
import { readExceptTable } from '../unwind/except-table.ts';
import { decode } from './decode.ts';
import { type FunctionCode, jumpPlaces } from './function-code.ts';
import { NO_REGISTER, RSP } from './general-registers.ts';
import { type Instruction, NOWHERE } from './instruction.ts';

export interface FoundFunction {
  readonly name: string;
  readonly fde: Fde;
  /** Or why it cannot be taken apart. */
  readonly code: Result<FunctionCode, string>;
}

/** Stubs that the linker makes, and what runs before there is anything to log to. */
const OTHER_CODE: ReadonlySet<string> = new Set(['.plt', '.plt.sec', '.plt.got', '.init', '.fini']);

export function findFunctions(elf: ElfFile, fdes: readonly Fde[]): FoundFunction[] {
  const names = functionIndex(elf);
  const isCode = codeAreas(elf);
  const imageEnd = Math.max(0, ...elf.segments.map(({ address, size }) => address + size));
  const sorted = fdes
    .filter(({ start, end }) => end > start && isCode(start) && start !== elf.header.entry)
    .sort((a, b) => a.start - b.start);
  return sorted.map((fde, place) => {
    tellProgress('functions taken apart', place, sorted.length);
    const { start, end } = fde;
    const symbol = names.find(start);
    const name = symbol?.offset === 0 ? symbol.name : `0x${start.toString(16)}`;
    const next = sorted[place + 1];
    if (next && next.start < end) return { name, fde, code: err('another function is inside it') };
    const bytes = elf.findImageBytes(imageAddress(start), end - start);
    if (bytes === undefined) return { name, fde, code: err('its code is not in the file') };
    const pads = landingPads(elf, fde);
    const code = pads.ok ? functionCode(name, start, bytes, pads.value) : pads;
    return { name, fde, code: code.ok ? withinReach(code.value, imageEnd) : code };
  });
}

/** Where a function catches exceptions. */
function landingPads(elf: ElfFile, { lsda, start }: Fde): Result<readonly number[], string> {
  if (lsda === undefined) return ok([]);
  const table = tryTo(() => readExceptTable(elf, lsda, start));
  if (!table.ok) return err(table.error.message);
  return ok(table.value.callSites.flatMap(({ landingPad }) => landingPad ?? []));
}

function functionCode(
  name: string,
  start: number,
  bytes: Uint8Array,
  landingPads: readonly number[],
): Result<FunctionCode, string> {
  const decoded = decode(bytes, start);
  if (!decoded.ok) return decoded;
  const instructions = decoded.value;
  const end = start + bytes.length;
  const isInside = (address: number): boolean => address >= start && address < end;
  const places = new Map(instructions.map(({ address }, place) => [address, place]));
  const astray = instructions.find(({ target }) => isInside(target) && !places.has(target));
  if (astray) return err(`a jump at 0x${astray.address.toString(16)} leads into an instruction`);
  if (landingPads.some((address) => isInside(address) && !places.has(address))) {
    return err('exceptions are caught in the middle of an instruction');
  }
  const asking = instructions.find(
    ({ flow, target }) =>
      flow === FlowControl.Call && asksWhereItIs(instructions[places.get(target) ?? -1]),
  );
  if (asking) return err(`a call at 0x${asking.address.toString(16)} asks where it is`);
  const jumps = jumpPlaces(instructions, places);
  return ok({ name, start, end, bytes, instructions, places, jumps, landingPads });
}

/**
 * A clone is up to a gigabyte away from the image, and has 32 bits to point back with. Nobody points further
 * beyond the image than this, unless what was decoded is no code at all.
 */
const FARTHEST = 512 * 2 ** 20;

function withinReach(code: FunctionCode, imageEnd: number): Result<FunctionCode, string> {
  const isFar = (address: number): boolean =>
    address !== NOWHERE && (address < -FARTHEST || address > imageEnd + FARTHEST);
  const far = code.instructions.find(
    ({ target, relativeOperand }) => isFar(target) || isFar(relativeOperand),
  );
  return far
    ? err(`the instruction at 0x${far.address.toString(16)} points far out of the image`)
    : ok(code);
}

/** `call next; next: pop rax`, to know where it is: in a clone, that is somewhere else. */
function asksWhereItIs(called: Instruction | undefined): boolean {
  if (called === undefined) return false;
  return (
    called.mnemonic === Mnemonic.Pop ||
    called.memory.some(
      ({ base, index, displacement, isRead, place }) =>
        base === RSP && index === NO_REGISTER && displacement === 0 && isRead && place === 'memory',
    )
  );
}

/** Whether an address is in code that somebody has written. Without section headers, all that may be executed. */
export function codeAreas(elf: ElfFile): (address: number) => boolean {
  const areas = elf.sections.filter(
    ({ flags, name }) => (flags & SectionFlag.execute) !== 0 && !OTHER_CODE.has(name),
  );
  if (elf.sections.length === 0) return () => true;
  return (address) =>
    areas.some((area) => address >= area.address && address < area.address + area.size);
}
