/**
 * How a kernel says where a function's caller is: its ORC tables, one entry for each stretch of code.
 *
 *   addresses   where a stretch begins: 32 bits, from where the number itself stands; sorted
 *   entries     how to find the caller there: 6 bytes
 *
 * Format: arch/x86/include/asm/orc_types.h. An entry has two offsets of 16 bits, for the stack pointer and rbp, and
 * in 16 further bits the registers that they count from and the kind of frame; kinds were renumbered in Linux 6.4.
 */
import type { ReadMemory } from '../gdb/remote-system.ts';

export interface OrcPlaces {
  readonly addresses: bigint;
  readonly entries: bigint;
  readonly count: number;
}

/** `ORC_REG_*`. */
export const OrcBase = {
  undefined: 0,
  previousStack: 1,
  rdx: 2,
  rdi: 3,
  rbp: 4,
  rsp: 5,
  r10: 6,
  r13: 7,
  rbpIndirect: 8,
  rspIndirect: 9,
} as const;

/** Of which the caller's registers are: below a return address, all of them, or only those that the processor saves. */
export type FrameKind = 'none' | 'call' | 'registers' | 'some-registers';

export interface OrcEntry {
  readonly stackOffset: number;
  readonly stackBase: number;
  readonly rbpOffset: number;
  readonly rbpBase: number;
  readonly kind: FrameKind;
}

const ENTRY_SIZE = 6;
const OLD_KINDS: readonly FrameKind[] = ['call', 'registers', 'some-registers', 'none'];
const NEW_KINDS: readonly FrameKind[] = ['none', 'none', 'call', 'registers', 'some-registers'];
/** `end` of the old ones: nobody has called this. */
const OLD_END = 1 << 10;

export function parseOrcEntry(bytes: Buffer, isNew: boolean): OrcEntry {
  const flags = bytes.readUInt16LE(4);
  const stackBase = flags & 15;
  const oldKind = (flags & OLD_END) !== 0 ? 'none' : OLD_KINDS[(flags >> 8) & 3]!;
  const kind = isNew ? (NEW_KINDS[(flags >> 8) & 7] ?? 'none') : oldKind;
  return {
    stackOffset: bytes.readInt16LE(0),
    rbpOffset: bytes.readInt16LE(2),
    stackBase,
    rbpBase: (flags >> 4) & 15,
    kind: stackBase === OrcBase.undefined ? 'none' : kind,
  };
}

/** The entry that holds at an address; undefined if the table does not begin before it. */
export async function findOrcEntry(
  places: OrcPlaces,
  address: bigint,
  read: ReadMemory,
  isNew: boolean,
): Promise<OrcEntry | undefined> {
  let [low, high] = [0, places.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = places.addresses + BigInt(4 * middle);
    const bytes = Buffer.from(await read(at, 4));
    if (bytes.length < 4) return undefined;
    if (at + BigInt(bytes.readInt32LE()) > address) high = middle;
    else low = middle + 1;
  }
  if (low === 0) return undefined;
  const entry = await read(places.entries + BigInt(ENTRY_SIZE * (low - 1)), ENTRY_SIZE);
  return entry.length === ENTRY_SIZE ? parseOrcEntry(Buffer.from(entry), isNew) : undefined;
}
