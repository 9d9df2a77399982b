/**
 * How far a script is to be followed, and what then. Of each task the first `inside` items are
 * replayed in the order of their dependencies; then come the anchors, one by one; from then on the program
 * is on its own. Without anchors, and with everything inside, it is the recorded run once more.
 */
import type { Dependencies } from './dependencies.ts';
import type { Item, Script, ScriptedTask } from './script.ts';

export interface Course {
  readonly script: Script;
  /** What each item waits for, if that is inside too. */
  readonly dependencies: Dependencies;
  /** How many items of each task are replayed before the anchors; absent: all of all. */
  readonly inside?: ReadonlyMap<ScriptedTask, number>;
  readonly anchors: readonly Item[];
  /** An anchor after which its task stays where it is until all others are done. */
  readonly staysAfter?: Item | undefined;
  /** Items inside that there will not be, such as the wait for a child that is held back. */
  readonly without?: ReadonlySet<Item>;
  /** Waits that are to collect another child than they did: its own number. */
  readonly collects?: ReadonlyMap<Item, number>;
}

/** The significant items that are replayed. */
export function insideOf({ script, inside, without }: Course): ReadonlySet<Item> {
  const items = inside
    ? script.tasks.flatMap((task) => task.items.slice(0, inside.get(task) ?? 0))
    : script.items;
  return new Set(items.filter((item) => item.isSignificant && !without?.has(item)));
}
