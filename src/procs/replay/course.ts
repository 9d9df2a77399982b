/**
 * How far a script is to be followed, and what then. Of each task the first `inside` items are
 * replayed in the order of their turns; then come the anchors, one by one; from then on the program
 * is on its own. Without anchors, and with everything inside, it is the recorded run once more.
 */
import type { Item, Script, ScriptedTask } from './script.ts';

export interface Course {
  readonly script: Script;
  /** How many items of each task are replayed before the anchors; absent: all of all. */
  readonly inside?: ReadonlyMap<ScriptedTask, number>;
  readonly anchors: readonly Item[];
  /** Waits that are to collect another child than they did: its own number. */
  readonly collects?: ReadonlyMap<Item, number>;
}

/** The items that are replayed in order: of those that are replayed, the significant ones. */
export function insideOf({ script, inside }: Course): readonly Item[] {
  const items = inside
    ? script.tasks.flatMap((task) => task.items.slice(0, inside.get(task) ?? 0))
    : script.items;
  return items.filter(({ isSignificant }) => isSignificant).sort((a, b) => a.turn - b.turn);
}
