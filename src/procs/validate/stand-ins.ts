/** All that stand in for others during one attempt. */
import type { OutsidePeer } from '../replay/outside/outside-peers.ts';
import type { Said } from '../replay/outside/prompter.ts';
import { StandIn } from './stand-in.ts';

export class StandIns {
  readonly #peers: readonly OutsidePeer[];
  readonly #lost: () => void;
  readonly #all: StandIn[] = [];
  readonly #released = new Set<number>();
  #isEverythingReleased = false;

  /** `lost` is called when one of them has no answer. */
  constructor(peers: readonly OutsidePeer[], lost: () => void) {
    this.#peers = peers;
    this.#lost = lost;
  }

  add(peer: number, listening: number): void {
    const isReleased = (utterance: number): boolean =>
      this.#isEverythingReleased || this.#released.has(utterance);
    this.#all.push(new StandIn(this.#peers[peer]!, listening, isReleased, this.#lost));
  }

  /** From now on. */
  mayBeSaid(utterances: Said): void {
    if (utterances === 'everything') this.#isEverythingReleased = true;
    else for (const utterance of utterances) this.#released.add(utterance);
    for (const standIn of this.#all) standIn.goOn();
  }

  /** The program takes too long, and is about to be ended. */
  hasHung(): void {
    for (const standIn of this.#all) standIn.hasHung();
  }

  /** When the program is gone: why the attempt proves nothing. */
  async trouble(): Promise<string | undefined> {
    for (const standIn of this.#all) await standIn.heardAll();
    return this.#all.flatMap((standIn) => standIn.trouble ?? [])[0];
  }

  close(): void {
    for (const standIn of this.#all) standIn.close();
  }
}
