/**
 * From a sample to the accesses that it tells of: its numbers, put into the plan of its place, and what following it
 * adds to that. They are left in columns, and last until the next sample.
 *
 * Left out are samples whose locks are not certain: in the middle of a lock operation, or with more locks than
 * there is room for. A hardware record is of an earlier instruction than the signal that came with it, but the
 * locks are the signal's: it counts only if one surely leads to the other, which no call does.
 */
import { SampleFlag } from '../../../linux/agent-protocol.ts';
import type { SamplingLog } from '../../collect/sampling-log.ts';
import { FS, GS, IMAGE, NOTHING, VALUES } from '../code/expression.ts';
import { exact, FollowedRegisters } from '../code/followed-registers.ts';
import { type FollowedPlace, followFrom } from '../code/follower.ts';
import type { LoadedImage, LoadedImages } from '../code/loaded-images.ts';
import { NO_PLAN, type PlaceTable } from '../code/place-table.ts';
import { NumberMap } from '../number-map.ts';

const MOST_ACCESSES = 512;
/** No program has anything there. */
const LOWEST_ADDRESS = 4096;
const HIGHEST_ADDRESS = 2 ** 47;
/** Longer ones are cut: the rest of them is in other samples. */
const LONGEST_ACCESS = 1 << 16;
const NONE = -1;
const UNCERTAIN = SampleFlag.DH_SAMPLE_IN_LOCK | SampleFlag.DH_SAMPLE_MORE_LOCKS;

/** What is known of a thread beside its samples. */
export interface ThreadBases {
  fsBase: number;
  gsBase: number;
}

export interface SampleFigures {
  samples: number;
  /** Without certain locks. */
  uncertain: number;
  /** In code that cannot be looked into, or tells nothing. */
  silent: number;
  /** Of the instructions that were sampled themselves. */
  ownAccesses: number;
  /** Of these and their neighbours. */
  accesses: number;
  /** What following adds: as they are about the same few places, they do not count for the odds. */
  followed: number;
}

export class SampleReader {
  count = 0;
  /** So many of them are of the plan; the others were added by following. */
  planned = 0;
  readonly addresses = new Float64Array(MOST_ACCESSES);
  readonly sizes = new Uint32Array(MOST_ACCESSES);
  readonly sites = new Uint32Array(MOST_ACCESSES);
  readonly figures: SampleFigures = {
    ...{ samples: 0, uncertain: 0, silent: 0, ownAccesses: 0, accesses: 0, followed: 0 },
  };
  readonly #table: PlaceTable;
  readonly #images: LoadedImages;
  readonly #values = new Float64Array(VALUES);
  /** By address: which of the following. */
  readonly #places = new NumberMap();
  readonly #plans: number[] = [];
  readonly #bases: number[] = [];
  readonly #followed: (FollowedPlace | undefined)[] = [];
  readonly #registers = new FollowedRegisters();
  /** Of hardware records: those that count with the place of the signal that comes next. */
  readonly #leadsTo = new Map<string, boolean>();

  constructor(table: PlaceTable, images: LoadedImages) {
    this.#table = table;
    this.#images = images;
  }

  /** Of the sample at which the log stands. */
  read(log: SamplingLog, bases: ThreadBases): number {
    this.count = this.planned = 0;
    this.figures.samples++;
    const { flags, place } = log;
    const isHardware = (flags & SampleFlag.DH_SAMPLE_HARDWARE) !== 0;
    if ((flags & UNCERTAIN) !== 0 || (isHardware && !this.#isSure(place, log.nextPlace))) {
      this.figures.uncertain++;
      return 0;
    }
    let known = this.#places.find(place);
    if (known < 0) known = this.#learn(place);
    const plan = this.#plans[known]!;
    const followed = this.#followed[known];
    if (plan === NO_PLAN && followed === undefined) {
      this.figures.silent++;
      return 0;
    }
    const values = this.#values;
    values[FS] = bases.fsBase;
    values[GS] = bases.gsBase;
    values[IMAGE] = this.#bases[known]!;
    this.#putIn(log, plan);
    this.planned = this.count;
    if (followed !== undefined) this.#follow(log, followed);
    return this.count;
  }

  #follow(log: SamplingLog, followed: FollowedPlace): void {
    const registers = this.#registers;
    for (let number = 0; number < registers.values.length; number++) {
      registers.values[number] = exact(log.register(number));
    }
    registers.fsBase = this.#values[FS]!;
    registers.gsBase = this.#values[GS]!;
    registers.imageBase = this.#values[IMAGE]!;
    registers.forgetFlags();
    followFrom(followed, registers, this.#add);
  }

  /**
   * What is known already is not told again, and what lies beside it becomes part of it: a loop over bytes is one
   * access to all of them. What the plan tells stays as it is: it counts for more.
   */
  readonly #add = (site: number, size: number, address: number): void => {
    if (!(address >= LOWEST_ADDRESS && address < HIGHEST_ADDRESS)) return;
    const { sites, addresses, sizes } = this;
    let beside = NONE;
    for (let at = this.count - 1; at >= 0; at--) {
      if (sites[at] !== site) continue;
      const [start, end] = [addresses[at]!, addresses[at]! + sizes[at]!];
      if (address >= start && address + size <= end) return;
      if (at >= this.planned && beside === NONE && (address === end || address + size === start))
        beside = at;
    }
    if (beside !== NONE) {
      addresses[beside] = Math.min(addresses[beside]!, address);
      sizes[beside]! += size;
    } else if (this.count < MOST_ACCESSES) {
      addresses[this.count] = address;
      sizes[this.count] = size;
      sites[this.count++] = site;
    }
    this.figures.followed++;
  };

  #putIn(log: SamplingLog, plan: number): void {
    const table = this.#table;
    const values = this.#values;
    for (let left = table.registersOf(plan); left !== 0; left &= left - 1) {
      const register = 31 - Math.clz32(left & -left);
      values[register] = log.register(register);
    }
    const end = table.end(plan);
    let count = 0;
    for (let at = table.start(plan); at < end && count < MOST_ACCESSES; at++) {
      const address =
        values[table.bases.at(at)]! +
        values[table.indexes.at(at)]! * table.scales.at(at) +
        table.constants.at(at);
      // Registers with more than 53 bits make no address that would be one.
      if (!(address >= LOWEST_ADDRESS && address < HIGHEST_ADDRESS)) continue;
      const site = table.sites.at(at);
      let size = table.siteSizes.at(site);
      const times = table.times.at(at);
      if (times !== NOTHING) size *= values[times]! + table.timesPlus.at(at);
      if (!(size > 0)) continue;
      this.addresses[count] = address;
      this.sizes[count] = Math.min(size, LONGEST_ACCESS);
      this.sites[count] = site;
      count++;
      this.figures.ownAccesses += table.isOwn.at(at);
    }
    this.count = count;
    this.figures.accesses += count;
  }

  #learn(place: number): number {
    const loaded = this.#images.at(place);
    const number = this.#plans.length;
    this.#plans.push(loaded ? this.#planOf(loaded, place) : NO_PLAN);
    this.#bases.push(loaded?.loadBase ?? 0);
    this.#followed.push(loaded && this.#table.followedAt(loaded.stored, place - loaded.loadBase));
    this.#places.add(place, number);
    return number;
  }

  #planOf({ stored, loadBase }: LoadedImage, place: number): number {
    return this.#table.planAt(stored, place - loadBase);
  }

  #isSure(from: number, to: number | undefined): boolean {
    if (to === undefined) return false;
    const key = `${from} ${to}`;
    const known = this.#leadsTo.get(key);
    if (known !== undefined) return known;
    const loaded = this.#images.at(from);
    const code = loaded?.stored.image?.functionAt(from - loaded.loadBase);
    const isSure =
      loaded !== undefined &&
      (code?.surelyLeads(from - loaded.loadBase, to - loaded.loadBase) ?? false);
    this.#leadsTo.set(key, isSure);
    return isSure;
  }
}
