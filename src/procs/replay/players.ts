/** The players of a replayed tree, by their numbers and by their scripts. */
import type { Tid } from '../../linux/ids.ts';
import type { Player } from './player.ts';
import type { Item, ScriptedTask } from './script.ts';

export class Players {
  readonly #byTask = new Map<Tid, Player>();
  readonly #byScript = new Map<ScriptedTask, Player>();

  get size(): number {
    return this.#byTask.size;
  }

  add(player: Player): void {
    this.#byTask.set(player.task, player);
    this.#byScript.set(player.script, player);
  }

  get(task: Tid): Player | undefined {
    return this.#byTask.get(task);
  }

  renamed(from: Tid, to: Tid): void {
    const player = this.#byTask.get(from);
    if (!player) return;
    this.#byTask.delete(from);
    this.#byTask.set(to, player);
    player.task = to;
  }

  gone(task: Tid): Player | undefined {
    const player = this.#byTask.get(task);
    this.#byTask.delete(task);
    this.freeParentOf(player);
    return player;
  }

  /** Who has this to do next. */
  at(item: Item): Player | undefined {
    const player = this.#byScript.get(item.task);
    return player?.next === item ? player : undefined;
  }

  /** Whoever made it by vfork may go on. */
  freeParentOf(child: Player | undefined): void {
    for (const player of this) {
      if (child && player.heldBy === child) player.heldBy = undefined;
    }
  }

  /** Whether others of its process are there. */
  hasCompany({ script }: Player): boolean {
    for (const other of this) {
      if (other.script !== script && other.script.start.pid === script.start.pid) return true;
    }
    return false;
  }

  [Symbol.iterator](): IterableIterator<Player> {
    return this.#byTask.values();
  }
}
