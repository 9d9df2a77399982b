/**
 * A function's entry of `.gcc_except_table`, its language-specific data (LSDA): what happens when an
 * exception comes out of a call. C++, C's cleanups, Rust, Ada and D all write this format.
 *
 *   call sites   0x1150…0x1155: landing pad 0x1170, actions from 1      (0: only clean up)
 *                0x1160…0x1165: no landing pad, the exception passes
 *                what is in none: std::terminate
 *   actions      1: filter 1, then nothing      filter > 0: catch type 1; < 0: exception specification
 *   types        1: typeinfo for int            null: catch (...)
 *   specifications  -1: types 1 and 2           `throw(A, B)`
 *
 * The tables are read as far as call sites lead; whatever stands between them stays unread.
 */
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { Encoding, type Pointer, pointerSize, readPointer, readValue } from './pointer-encoding.ts';

export interface CallSite {
  start: ImageAddress;
  end: ImageAddress;
  landingPad: ImageAddress | undefined;
  /** Where in `actions`, counted from 1; 0 if it only cleans up. */
  action: number;
}

export interface Action {
  /** Where it stands in `actions`, counted from 1. */
  at: number;
  /** Number of a type, or negative: of an exception specification; 0 cleans up. */
  filter: number;
  /** The one to try after it. */
  next: number | undefined;
}

export interface ExceptTable {
  callSites: CallSite[];
  /** By `at`. */
  actions: Map<number, Action>;
  /** The bytes of all actions that call sites lead to. */
  actionBytes: Uint8Array;
  typeEncoding: number;
  /** Type N is at N - 1; `undefined` catches everything. */
  types: (Pointer | undefined)[];
  /** Of exception specifications: what follows the types, with a list of numbers at -filter - 1. */
  specificationBytes: Uint8Array;
}

/** `address` is the LSDA's, `functionStart` the first address of its FDE. */
export function readExceptTable(
  elf: ElfFile,
  address: ImageAddress,
  functionStart: ImageAddress,
): ExceptTable {
  const bytes = elf.imageBytesFrom(address);
  if (bytes === undefined) {
    throw new BadBinary(`its exception table is at ${hex(address)}, where nothing is loaded`);
  }
  return parseExceptTable(bytes, address, functionStart);
}

/** `bytes` may go on behind the table. */
export function parseExceptTable(
  bytes: Uint8Array,
  address: ImageAddress,
  functionStart: ImageAddress,
): ExceptTable {
  const reader = new ByteReader(bytes, 0, bytes.length, 'the exception table');
  const bases = { bytes: address as number, function: functionStart };
  const padsEncoding = reader.u8();
  const pads = readPointer(reader, padsEncoding, bases);
  if (pads?.isIndirect) throw new BadBinary('its landing pads are relative to an indirect address');
  const padsStart = padsEncoding === Encoding.omitted ? functionStart : (pads?.target ?? 0);
  const typeEncoding = reader.u8();
  const hasTypes = typeEncoding !== Encoding.omitted;
  const typesOffset = hasTypes ? reader.uleb() : 0;
  const typesEnd = reader.at + typesOffset;
  const callSites = readCallSites(reader, functionStart, padsStart);
  const { actions, end } = readActions(bytes, reader.at, callSites);
  const actionBytes = bytes.subarray(reader.at, end);
  const filters = [...actions.values()].map(({ filter }) => filter);
  if (!hasTypes && filters.some((filter) => filter !== 0)) {
    throw new BadBinary('its exception table has actions with types, but no types');
  }
  const specificationEnd = readSpecifications(bytes, typesEnd, filters);
  const specificationBytes = hasTypes ? bytes.subarray(typesEnd, specificationEnd) : NOTHING;
  const highest = Math.max(highestType(filters), highestType(specified(specificationBytes)));
  const types = readTypes(bytes, typesEnd, highest, typeEncoding, address);
  return { callSites, actions, actionBytes, typeEncoding, types, specificationBytes };
}

const NOTHING = new Uint8Array();

function readCallSites(
  reader: ByteReader,
  functionStart: ImageAddress,
  padsStart: number,
): CallSite[] {
  const encoding = reader.u8();
  const length = reader.uleb();
  const end = reader.at + length;
  const sites: CallSite[] = [];
  while (reader.at < end) {
    const start = imageAddress(functionStart + readValue(reader, encoding));
    const size = readValue(reader, encoding);
    const pad = readValue(reader, encoding);
    const landingPad = pad === 0 ? undefined : imageAddress(padsStart + pad);
    sites.push({ start, end: imageAddress(start + size), landingPad, action: reader.uleb() });
  }
  if (reader.at === end) return sites;
  throw new BadBinary('the call sites of its exception table do not end where they should');
}

/** Several call sites may share a chain of actions, or only the end of one. */
function readActions(
  bytes: Uint8Array,
  from: number,
  callSites: readonly CallSite[],
): { actions: Map<number, Action>; end: number } {
  const actions = new Map<number, Action>();
  let end = from;
  for (const { action } of callSites) {
    let at: number | undefined = action === 0 ? undefined : action;
    while (at !== undefined && !actions.has(at)) {
      if (at < 1) throw new BadBinary('an action of its exception table stands before the first');
      const reader = new ByteReader(bytes, from, bytes.length, 'the exception table');
      reader.skip(at - 1);
      const filter = reader.sleb();
      // Relative to the place where this distance stands.
      const nextFrom = reader.at - from + 1;
      const distance = reader.sleb();
      const next: number | undefined = distance === 0 ? undefined : nextFrom + distance;
      actions.set(at, { at, filter, next });
      end = Math.max(end, reader.at);
      at = next;
    }
  }
  return { actions, end };
}

/** Where the last specification that a filter names ends: each is a list that ends with zero. */
function readSpecifications(bytes: Uint8Array, from: number, filters: readonly number[]): number {
  let end = from;
  for (const filter of new Set(filters)) {
    if (filter >= 0) continue;
    const reader = new ByteReader(bytes, 0, bytes.length, 'the exception table');
    reader.at = from - filter - 1;
    while (reader.uleb() !== 0);
    end = Math.max(end, reader.at);
  }
  return end;
}

/** The numbers of types in all specifications. */
function specified(bytes: Uint8Array): number[] {
  const reader = new ByteReader(bytes, 0, bytes.length, 'the exception table');
  const numbers: number[] = [];
  while (reader.left > 0) numbers.push(reader.uleb());
  return numbers;
}

const highestType = (numbers: readonly number[]): number =>
  numbers.reduce((highest, number) => Math.max(highest, number), 0);

/** They are counted backwards from the end. */
function readTypes(
  bytes: Uint8Array,
  end: number,
  count: number,
  encoding: number,
  address: ImageAddress,
): (Pointer | undefined)[] {
  if (count === 0) return [];
  const size = pointerSize(encoding);
  const start = end - count * size;
  if (start < 0) throw new BadBinary(`its exception table has no room for ${count} types`);
  const reader = new ByteReader(bytes, start, end, 'the types of the exception table');
  const types = Array.from({ length: count }, () =>
    readPointer(reader, encoding, { bytes: address }),
  );
  return types.reverse();
}
