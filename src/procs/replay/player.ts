/** A task of the replayed tree, and where it stands in its script. */
import type { Tid } from '../../linux/ids.ts';
import type { EnteredCall } from '../recorder/conductor.ts';
import type { Item, ScriptedTask } from './script.ts';

/** Why a task stands still: what it is about to do. */
export type Standing =
  | { at: 'call'; call: EnteredCall }
  | { at: 'signal'; signal: number }
  /** Back from a call, waiting for a signal that came then, or for other threads. */
  | { at: 'return'; forThreads?: true }
  | { at: 'exit' };

export class Player {
  readonly script: ScriptedTask;
  task: Tid;
  standing: Standing | undefined;
  /** What it was let go on with, and has not ended. */
  doing: Item | undefined;
  /** It is in a call that is not in the script, and may wait there. */
  isElsewhere = false;
  /** The arrival of the signal that is to break this call off. */
  brokenOffBy: Item | undefined;
  /** Its child by vfork: it stands still until that one has called exec, or is gone. */
  heldBy: Player | undefined;
  /** None of its calls is looked at any more: unseen-rest.ts. */
  isUnseen = false;
  /** Signals that came before their time. */
  readonly early: number[] = [];
  #done = 0;

  constructor(task: Tid, script: ScriptedTask) {
    this.task = task;
    this.script = script;
  }

  /** What it has to do next; undefined at the end of what was recorded of it. */
  get next(): Item | undefined {
    return this.script.items[this.#done];
  }

  /** What it has to do next but for receiving signals. */
  get nextAction(): Item | undefined {
    return this.upcoming(({ record }) => record.kind === 'signal');
  }

  /** What it has to do next that is not of that kind. */
  upcoming(isOther: (item: Item) => boolean): Item | undefined {
    for (let at = this.#done; ; at++) {
      const item = this.script.items[at];
      if (!item || !isOther(item)) return item;
    }
  }

  itemAfter(item: Item): Item | undefined {
    return this.script.items[this.script.items.indexOf(item, this.#done) + 1];
  }

  /** How many items it has behind it. */
  get done(): number {
    return this.#done;
  }

  /** Past the next item; a signal may come in the middle of something. */
  advance(): void {
    if (this.doing === this.next) this.doing = undefined;
    this.#done++;
  }

  /** Nothing that it does before its end is looked at. */
  skipToEnd(): void {
    this.isUnseen = true;
    this.#done = this.script.items.length - 1;
  }

  /** Whether this signal will come to it later. */
  expects(signal: number): boolean {
    return this.script.items
      .slice(this.#done)
      .some(({ record }) => record.kind === 'signal' && record.signal === signal);
  }
}
