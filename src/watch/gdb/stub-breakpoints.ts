/**
 * Breakpoints that a stub has planted for us: those of the watch loop, and hooks where code is loaded and unloaded.
 * One address may be both, and is planted once.
 *
 *   plant(0x11a2)      Z0,11a2,1
 *   unplant(0x11a2)    z0,11a2,1, unless it is a hook as well
 */
import type { GdbConnection } from './connection.ts';
import type { StubAnswers } from './stub-answers.ts';

export class StubBreakpoints {
  readonly #connection: GdbConnection;
  readonly #answers: StubAnswers;
  readonly #planted = new Set<bigint>();
  readonly #hooks = new Set<bigint>();

  constructor(connection: GdbConnection, answers: StubAnswers) {
    this.#connection = connection;
    this.#answers = answers;
  }

  isPlanted(address: bigint): boolean {
    return this.#planted.has(address);
  }

  isHook(address: bigint): boolean {
    return this.#hooks.has(address);
  }

  async plant(address: bigint): Promise<boolean> {
    if (!this.#stands(address) && !(await this.#insert(address))) return false;
    this.#planted.add(address);
    return true;
  }

  async unplant(address: bigint): Promise<void> {
    if (this.#planted.delete(address) && !this.#hooks.has(address)) await this.#remove(address);
  }

  async hook(address: bigint): Promise<void> {
    if (this.#hooks.has(address)) return;
    if (this.#planted.has(address) || (await this.#insert(address))) this.#hooks.add(address);
  }

  /** A breakpoint stops whoever stands before it once more: so it is taken away while somebody steps. */
  async without(address: bigint, step: () => Promise<void>): Promise<void> {
    if (!this.#stands(address)) return;
    await this.#remove(address);
    await step();
    if (!(await this.#insert(address))) this.#planted.delete(address);
  }

  async removeAll(): Promise<void> {
    const all = new Set([...this.#planted, ...this.#hooks]);
    this.#planted.clear();
    this.#hooks.clear();
    await Promise.all([...all].map((address) => this.#remove(address)));
  }

  #stands(address: bigint): boolean {
    return this.#planted.has(address) || this.#hooks.has(address);
  }

  async #insert(address: bigint): Promise<boolean> {
    return (await this.#ask(`Z0,${address.toString(16)},1`)) === 'OK';
  }

  async #remove(address: bigint): Promise<void> {
    await this.#ask(`z0,${address.toString(16)},1`);
  }

  #ask(packet: string): Promise<string> {
    return this.#answers.to(() => this.#connection.ask(packet), '');
  }
}
