/**
 * The plans of all places (extension-plan.ts) and the sites that they speak of, as columns: a sample is put in
 * by a loop over numbers. A site is one operand of one instruction of one image, the same in all processes.
 */
import type { RegisterSet } from '../../../binary/code/general-registers.ts';
import type { Instruction } from '../../../binary/code/instruction.ts';
import { growingBytes, growingFloats, growingShorts, growingWords } from '../growing.ts';
import { FS, NOTHING } from './expression.ts';
import type { PlannedAccess } from './extension-plan.ts';
import { FollowedPlaces } from './followed-places.ts';
import type { FollowedPlace } from './follower.ts';
import type { StoredImage } from './image-store.ts';

export const SiteFlag = { read: 1, write: 2, atomic: 4 } as const;

/** A place of which nothing can be told. */
export const NO_PLAN = 0;

export class PlaceTable {
  /** Of the plan with a number: where its accesses begin; it ends where the next one begins. */
  readonly #starts = growingWords();
  /** Of the plan: which general registers it asks for. */
  readonly #registers = growingShorts();
  readonly sites = growingWords();
  readonly bases = growingBytes();
  readonly indexes = growingBytes();
  readonly scales = growingBytes();
  readonly constants = growingFloats();
  /** NOTHING for what is not repeated. */
  readonly times = growingBytes();
  readonly timesPlus = growingFloats();
  /** 1 for those of the instruction that was sampled itself. */
  readonly isOwn = growingBytes();

  readonly siteImages = growingWords();
  readonly siteAddresses = growingFloats();
  readonly siteOperands = growingBytes();
  readonly siteSizes = growingShorts();
  readonly siteFlags = growingBytes();
  readonly #siteNumbers = new Map<string, number>();
  readonly #planNumbers: Map<number, number>[] = [];
  readonly #followed = new FollowedPlaces((...one) => this.#siteOf(...one));

  constructor() {
    this.#starts.push(0);
    this.#starts.push(0);
    this.#registers.push(0);
  }

  /** Of the samples that stand at an address of an image; NO_PLAN if they tell nothing. */
  planAt(stored: StoredImage, address: number): number {
    this.#planNumbers[stored.number] ??= new Map();
    const plans = this.#planNumbers[stored.number]!;
    const known = plans.get(address);
    if (known !== undefined) return known;
    const number = this.#add(stored, stored.image?.planAt(address) ?? []);
    plans.set(address, number);
    return number;
  }

  /** How samples there are followed, where that may tell more than their plan. */
  followedAt(stored: StoredImage, address: number): FollowedPlace | undefined {
    const plan = this.planAt(stored, address);
    const planned = new Set<number>();
    for (let at = this.start(plan); at < this.end(plan); at++) planned.add(this.sites.at(at));
    return this.#followed.at(stored, address, planned);
  }

  start(plan: number): number {
    return this.#starts.at(plan);
  }

  end(plan: number): number {
    return this.#starts.at(plan + 1);
  }

  registersOf(plan: number): RegisterSet {
    return this.#registers.at(plan);
  }

  #add(stored: StoredImage, plan: readonly PlannedAccess[]): number {
    const accesses = plan.filter(({ times }) => times === undefined || times.index === NOTHING);
    if (accesses.length === 0) return NO_PLAN;
    let registers: RegisterSet = 0;
    for (const access of accesses) {
      const { address, times, distance } = access;
      for (const register of [address.base, address.index, times?.base ?? NOTHING]) {
        if (register < FS) registers |= 1 << register;
      }
      this.sites.push(this.#siteOf(stored, access.instruction, access.operand));
      this.bases.push(address.base);
      this.indexes.push(address.index);
      this.scales.push(address.scale);
      this.constants.push(address.constant);
      this.times.push(times?.base ?? NOTHING);
      this.timesPlus.push(times?.constant ?? 1);
      this.isOwn.push(distance === 0 ? 1 : 0);
    }
    this.#starts.push(this.sites.length);
    this.#registers.push(registers);
    return this.#starts.length - 2;
  }

  #siteOf(stored: StoredImage, instruction: Instruction, operand: number): number {
    const key = `${stored.number} ${instruction.address} ${operand}`;
    const known = this.#siteNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.siteImages.length;
    const { size, isRead, isWritten } = instruction.memory[operand]!;
    this.siteImages.push(stored.number);
    this.siteAddresses.push(instruction.address);
    this.siteOperands.push(operand);
    this.siteSizes.push(size);
    this.siteFlags.push(
      (isRead ? SiteFlag.read : 0) |
        (isWritten ? SiteFlag.write : 0) |
        (instruction.isAtomic ? SiteFlag.atomic : 0),
    );
    this.#siteNumbers.set(key, number);
    return number;
  }
}
