/**
 * Breakpoints that stand at sampled instructions, and since when. One that is hit is taken away, for others to pass;
 * one that is removed goes back to the sampler, as nothing has come of it.
 */
import type { DebugTarget } from './debug-target.ts';
import type { Sampler } from './sampler.ts';

export class PlantedBreakpoints {
  readonly #target: Pick<DebugTarget, 'plant' | 'unplant'>;
  readonly #sampler: Sampler;
  /** From when on each stands; the oldest first. */
  readonly #planted = new Map<bigint, number>();

  constructor(target: Pick<DebugTarget, 'plant' | 'unplant'>, sampler: Sampler) {
    this.#target = target;
    this.#sampler = sampler;
  }

  get size(): number {
    return this.#planted.size;
  }

  /** Returns those whose code has gone. */
  async plant(addresses: readonly bigint[], from: number): Promise<readonly bigint[]> {
    const standing = await this.#target.plant(addresses, from);
    for (const address of standing) this.#planted.set(address, from);
    return addresses.filter((address) => !standing.includes(address));
  }

  /** Somebody stands there. False if it is not one of these any more. */
  async takeHit(address: bigint): Promise<boolean> {
    if (!this.#planted.delete(address)) return false;
    await this.#target.unplant([address]);
    return true;
  }

  async removeThoseBefore(time: number): Promise<void> {
    await this.#remove([...this.#planted].filter(([, at]) => at < time).map(([one]) => one));
  }

  async removeAll(): Promise<void> {
    await this.#remove([...this.#planted.keys()]);
  }

  async #remove(addresses: readonly bigint[]): Promise<void> {
    if (addresses.length === 0) return;
    await this.#target.unplant(addresses);
    for (const address of addresses) {
      this.#planted.delete(address);
      this.#sampler.giveBack(address, undefined);
    }
  }
}
