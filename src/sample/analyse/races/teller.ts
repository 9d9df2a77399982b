/**
 * From pairs of sites to races, in the report's words. Pairs with the same lines about the same thing are one race:
 * `hits++` is a load and a store, and all of their pairs have one cause. So have those of all elements of an array that
 * is filled by a loop.
 *
 *   worker writes hits at server.c:24 while main reads it at server.c:31
 */
import { basename } from 'node:path';
import type { FunctionCode } from '../../../binary/code/function-code.ts';
import { imageAddress } from '../../../binary/image-address.ts';
import type { Access, Confidence, Race, Site } from '../../../report/model.ts';
import { heapPlace, plural, threadWords } from '../../../report/wording.ts';
import { isHandedOver } from '../code/handover-words.ts';
import { isInHomeMadeLock } from '../code/home-made-lock.ts';
import type { ImageStore, StoredImage } from '../code/image-store.ts';
import type { LoadedImages } from '../code/loaded-images.ts';
import { mayBeHandedOut } from '../code/own-allocator.ts';
import { type PlaceTable, SiteFlag } from '../code/place-table.ts';
import { isShared, type Locksets, lockAddress, NO_LOCKS } from '../logs/locksets.ts';
import type { SampledProcess } from '../sampled-process.ts';
import { benignReason, type RacingInstruction } from './benign.ts';
import { confidenceOf, whyOf } from './confidence.ts';
import { isAtomic } from './conflict.ts';
import { doubtOf } from './doubts.ts';
import { addBlocks, type FoundPair, type PairSide, samplesOf } from './found-pairs.ts';

interface KnownProcess {
  readonly process: SampledProcess;
  readonly images: LoadedImages;
  readonly locksets: Locksets;
  readonly hasOwnAllocator: boolean;
  /** Locks are let go by others than those that took them. */
  readonly hasForeignUnlocks: boolean;
  /** By site. */
  readonly callers: ReadonlyMap<number, readonly number[]>;
}

interface ToldInstruction extends RacingInstruction {
  /** In the function. */
  readonly place: number;
  isInHomeMadeLock(): boolean;
}

const ORDER: readonly Confidence[] = ['high', 'medium', 'low'];

export class Teller {
  readonly #store: ImageStore;
  readonly #table: PlaceTable;
  readonly #processes: KnownProcess[] = [];

  constructor(store: ImageStore, table: PlaceTable) {
    this.#store = store;
    this.#table = table;
  }

  /** Pairs call them by their numbers: 0, 1, … */
  remember(process: KnownProcess): void {
    this.#processes.push(process);
  }

  /** The surest first, and of those the most often seen. */
  races(pairs: readonly FoundPair[]): Omit<Race, 'id'>[] {
    const groups = new Map<string, FoundPair[]>();
    for (const pair of pairs) {
      if (!this.#isMeant(pair)) continue;
      const key = this.#causeOf(pair);
      const group = groups.get(key);
      if (group) group.push(pair);
      else groups.set(key, [pair]);
    }
    return [...groups.values()]
      .map((group) => this.#race(group))
      .sort(
        (one, other) =>
          ORDER.indexOf(one.confidence!) - ORDER.indexOf(other.confidence!) ||
          other.occurrences - one.occurrences,
      );
  }

  /** Of variables that are atomic, and of libraries with locks of their own, nothing is told. */
  #isMeant({ sides: [side] }: FoundPair): boolean {
    const loaded = this.#processes[side.process]!.images.at(side.address);
    const image = loaded?.stored.image;
    if (loaded === undefined || image === undefined) return true;
    return (
      !image.hasOwnLocks && !image.names.isAtomic(imageAddress(side.address - loaded.loadBase))
    );
  }

  #causeOf(pair: FoundPair): string {
    const [one, other] = pair.sides;
    const lines = [one, other].map((side) => {
      const { file, line, module, address, function: name } = this.#framesOf(side)[0]!;
      return file === undefined ? `${module} ${name ?? ''} ${address}` : `${file}:${line} ${name}`;
    });
    const thing = pair.object.key === 'heap' ? 'heap' : withoutPlace(this.#nameOf(pair));
    return [thing, ...lines.sort()].join('\n');
  }

  #race(group: readonly FoundPair[]): Omit<Race, 'id'> {
    const whole = this.#together(group);
    const [one, other] = this.#writerFirst(whole);
    const flags = [one, other].map(({ site }) => this.#table.siteFlags.at(site));
    const sides = [one, other].map(({ site }) => this.#instructionAt(site));
    const doubts = {
      isAtomicSide: flags.some(isAtomic),
      isUnseenMemory: this.#isUnseenMemory(whole),
      hasUncertainLocks: [one, other].some(
        ({ process, lockset }) =>
          lockset !== NO_LOCKS && this.#processes[process]!.hasForeignUnlocks,
      ),
      isHandedOver: this.#isHandedOver(one, other),
      homeMadeLocks: sides.filter((side) => side?.isInHomeMadeLock()).length,
    };
    const doubt = doubtOf(whole, doubts);
    const confidence = confidenceOf(whole, doubt);
    const name = this.#nameOf(whole);
    const accesses = [one, other].map((side) => this.#access(side, name));
    const benign = benignReason(sides, doubts, whole.isAtomicElsewhere);
    return {
      kind: 'data-race',
      verdict: 'predicted',
      title: titleOf(accesses[0]!, accesses[1]!, name),
      object: { type: whole.object.key === 'heap' ? 'heap' : 'memory', name },
      accesses,
      confidence,
      evidence: this.#evidence(whole, [one, other], whyOf(whole, confidence, doubt)),
      ...(benign !== undefined && { benign }),
      occurrences: whole.blocks.size,
    };
  }

  /** What all have in common, told by the one that was seen most. */
  #together(group: readonly FoundPair[]): FoundPair {
    const seen = group.map((pair) => Math.min(...pair.sides.map(samplesOf)));
    const blocks = new Map<number, number>();
    for (const one of group) addBlocks(blocks, one.blocks);
    return {
      ...group[seen.indexOf(Math.max(...seen))]!,
      blocks,
      nearest: Math.min(...group.map(({ nearest }) => nearest)),
      runs: new Set(group.flatMap(({ runs }) => [...runs])),
      isAcrossRuns: group.every(({ isAcrossRuns }) => isAcrossRuns),
      isQuiet: group.some(({ isQuiet }) => isQuiet),
      isAtomicElsewhere: group.some(({ isAtomicElsewhere }) => isAtomicElsewhere),
    };
  }

  /** Which may have been another block each time. */
  #isUnseenMemory({ object, sides: [side] }: FoundPair): boolean {
    const { hasOwnAllocator, images } = this.#processes[side.process]!;
    if (!hasOwnAllocator || images.at(side.address) !== undefined) return false;
    return mayBeHandedOut(object.key === 'heap', object.blockStart);
  }

  #writerFirst({ sides: [one, other] }: FoundPair): readonly [PairSide, PairSide] {
    const isWrite = ({ site }: PairSide): boolean =>
      (this.#table.siteFlags.at(site) & SiteFlag.write) !== 0;
    return isWrite(one) || !isWrite(other) ? [one, other] : [other, one];
  }

  #access(side: PairSide, name: string): Access {
    const { process, locksets } = this.#processes[side.process]!;
    const { header } = process.logs[side.thread]!;
    const called = process.threadNames.get(header.thread) ?? header.name;
    const locks = locksets.locksOf(side.lockset).map((lock) => this.#lockName(side, lock));
    const held = locks.length === 0 ? 'without a lock' : `with ${locks.join(', ')} locked`;
    const own = this.#framesOf(side);
    return {
      process: basename(process.path),
      pid: process.pid,
      thread: header.tid,
      ...(called !== '' && { threadName: called }),
      op: opOf(this.#table.siteFlags.at(side.site)),
      what: `${plural(this.#table.siteSizes.at(side.site), 'byte')} at ${name}, ${held}`,
      site: own[0]!,
      stack: [...own, ...this.#callersOf(side)],
      locks,
    };
  }

  #lockName({ process }: PairSide, lock: number): string {
    const address = lockAddress(lock);
    const data = this.#dataAt(process, address) ?? `0x${address.toString(16)}`;
    // `table.lock.__data` is what the C library makes of `table.lock`.
    const name = data.replace(/\.[(]?__.*$/, '');
    return isShared(lock) ? `${name} (shared)` : name;
  }

  /** Innermost first: what the compiler has inlined. */
  #framesOf({ site }: PairSide): Site[] {
    const stored = this.#store.images[this.#table.siteImages.at(site)]!;
    return framesIn(stored, this.#table.siteAddresses.at(site));
  }

  /** Of a run with stacks. A call is right before the place where it returns to. */
  #callersOf({ site, process }: PairSide): Site[] {
    const { images, callers } = this.#processes[process]!;
    return (callers.get(site) ?? []).flatMap((address) => {
      const loaded = images.at(address - 1);
      if (loaded === undefined) return [{ address: `0x${address.toString(16)}` }];
      return framesIn(loaded.stored, address - 1 - loaded.loadBase);
    });
  }

  #nameOf({ object, sides: [side] }: FoundPair): string {
    const { blockStart, blockSize } = object;
    if (object.key === 'heap') {
      return heapPlace(blockSize, side.address - blockStart);
    }
    return this.#dataAt(side.process, side.address) ?? `0x${side.address.toString(16)}`;
  }

  #dataAt(process: number, address: number): string | undefined {
    const loaded = this.#processes[process]!.images.at(address);
    if (loaded === undefined) return undefined;
    const offset = address - loaded.loadBase;
    const name = loaded.stored.image?.names.dataAt(imageAddress(offset)) ?? '';
    return name === '' ? `${basename(loaded.stored.path)}+0x${offset.toString(16)}` : name;
  }

  #instructionAt(site: number): ToldInstruction | undefined {
    const { image } = this.#store.images[this.#table.siteImages.at(site)]!;
    const address = this.#table.siteAddresses.at(site);
    const code = image?.functionAt(address);
    const place = code?.code.places.get(address);
    if (code === undefined || place === undefined) return undefined;
    const instruction = code.code.instructions[place]!;
    const calledAt = (start: number): FunctionCode | undefined => {
      const called = image?.functionAt(start)?.code;
      return called?.start === start ? called : undefined;
    };
    return {
      ...{ instruction, place, bytesOf: (one) => code.bytesOf(one), code: code.code },
      isInHomeMadeLock: () => isInHomeMadeLock(code.code, place, calledAt),
    };
  }

  #isHandedOver(...[one, other]: readonly [PairSide, PairSide]): boolean {
    const { image } = this.#store.images[this.#table.siteImages.at(one.site)]!;
    const [mine, theirs] = [one, other].map(({ site }) => this.#instructionAt(site));
    const isOneImage =
      this.#table.siteImages.at(one.site) === this.#table.siteImages.at(other.site);
    if (!isOneImage || image === undefined || mine === undefined || theirs === undefined)
      return false;
    return isHandedOver(mine, theirs, (address) => image.names.isAtomic(imageAddress(address)));
  }

  #evidence(
    { blocks, runs, object }: FoundPair,
    [one, other]: readonly [PairSide, PairSide],
    why: string,
  ): string {
    const places = object.key === 'heap' ? ` in ${plural(blocks.size, 'block')}` : '';
    const inRuns = runs.size > 1 ? ` of ${runs.size} runs` : '';
    const counts = `${plural(samplesOf(one), 'sample')} of the one and ${samplesOf(other)} of the other`;
    return `${counts}${places}${inRuns}, no lock in common, and nothing that orders them; confidence ${why}`;
  }
}

/**
 * `log.text[17]` is `log.text[]`; without debug information `log+17` is `log`, and `server+0x4011` is `server`. What
 * has no name at all, as 0x7f782b9009b0, is all the same.
 */
const withoutPlace = (name: string): string =>
  name.replace(/\[\d+\]/g, '[]').replace(/(^|\+)(0x)?[0-9a-f]+$/, '');

function framesIn(stored: StoredImage, address: number): Site[] {
  const place = { module: stored.path, address: `0x${address.toString(16)}` };
  const frames = stored.image?.names.framesAt(imageAddress(address)) ?? [];
  if (frames.length === 0) return [place];
  return frames.map(({ function: name, file, line }) => ({
    ...(name !== '' && { function: name }),
    ...(file !== '' && { file }),
    ...(line > 0 && { line }),
    ...place,
  }));
}

function opOf(flags: number): string {
  const [isRead, isWritten] = [(flags & SiteFlag.read) !== 0, (flags & SiteFlag.write) !== 0];
  if (isRead && isWritten) return isAtomic(flags) ? 'atomic update' : 'update';
  return isWritten ? 'store' : 'load';
}

const VERBS: Readonly<Record<string, string>> = {
  load: 'reads',
  store: 'writes',
  update: 'updates',
  'atomic update': 'updates',
};

function titleOf(one: Access, other: Access, name: string): string {
  const whoOf = (access: Access): string => threadWords({ accesses: [one, other] }, access);
  const first = `${whoOf(one)} ${VERBS[one.op]} ${name}${placeOf(one.site)}`;
  return `${first} while ${whoOf(other)} ${VERBS[other.op]} it${placeOf(other.site)}`;
}

function placeOf({ file, line, function: name, module, address }: Site): string {
  if (file !== undefined) return ` at ${basename(file)}${line === undefined ? '' : `:${line}`}`;
  return name === undefined ? ` at ${basename(module ?? '')}+${address}` : ` in ${name}`;
}
