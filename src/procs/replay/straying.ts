/** How a replay has left the recording, if it has; and what may explain that. */
import type { CallRecord } from '../../trace/records/call.ts';
import { hasSameResult, shownCall, shownItem, shownRecord } from './mismatch.ts';
import type { Item } from './script.ts';

export type Divergence = { readonly reason: string; readonly item?: Item | undefined };

export class Straying {
  #divergence: Divergence | undefined;
  /** A call that ended otherwise than recorded. That need not matter, but may explain the rest. */
  #firstOddity: string | undefined;
  /** The first step that came before something that it was to wait for. */
  #outOfTurn: string | undefined;

  get divergence(): Divergence | undefined {
    return this.#divergence;
  }

  get outOfTurn(): string | undefined {
    return this.#outOfTurn;
  }

  noteResult(recorded: CallRecord, now: CallRecord): void {
    if (hasSameResult(recorded, now)) return;
    this.#firstOddity ??= `${shownCall(now)} = ${now.result} instead of ${recorded.result}`;
  }

  noteOutOfTurn(item: Item, missing: Item): void {
    this.#outOfTurn ??= `${shownItem(item)} came before ${shownItem(missing)}`;
  }

  /** It does that, and not what it did when it was recorded. */
  does(now: string, item: Item | undefined): void {
    const recorded = item ? shownRecord(item.record) : 'nothing more';
    this.#diverge(`${now} instead of ${recorded}${this.#because}`, item);
  }

  /** `how`: what became of the item that everybody waits for. */
  isStuck(item: Item | undefined, how: string): void {
    const what = item ? `: ${shownRecord(item.record)} ${how}` : '';
    this.#diverge(`nothing moved any more${what}${this.#because}`, item);
  }

  isLate(): void {
    this.#diverge('it did not get there in time', undefined);
  }

  #diverge(reason: string, item: Item | undefined): void {
    this.#divergence ??= { reason, item };
  }

  get #because(): string {
    return this.#firstOddity === undefined ? '' : `, after ${this.#firstOddity}`;
  }
}
