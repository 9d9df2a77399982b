/**
 * Files that show in which order processes came, and are meant to:
 *
 *   echo done: a >>log      of three that do so, the log may have any order
 *   sqlite3 db 'insert …'   locks the database, writes, and lets others lock it
 *   flock lock ./add-one    whoever uses the counter has the same lock
 *
 * What such a file looks like after another order is no harm of that order's. A race is tried with
 * two processes; when all the others come, nobody has decided.
 */
import type { Pid } from '../../linux/ids.ts';
import { syscallName } from '../../linux/syscalls.ts';
import type { HappensBeforeGraph } from '../../order/graph.ts';
import type { EventId } from '../../order/ids.ts';
import { leavesLock, takesLockAlone } from '../detect/order/locks.ts';
import type { Step } from '../detect/step.ts';
import type { Timeline } from '../detect/timeline.ts';

export interface OrderInFiles {
  /** Files to which processes only append, and how many of them do. */
  readonly appended: ReadonlyMap<string, number>;
  /** Files that are only used under a lock, or locked themselves by whoever writes to them. */
  readonly locked: ReadonlySet<string>;
}

export const NO_ORDER_IN_FILES: OrderInFiles = { appended: new Map(), locked: new Set() };

/** What a process did to a file with the same locks in the same way. */
interface Use {
  readonly process: Pid;
  readonly how: 'reads' | 'appends' | 'writes';
  readonly locks: ReadonlySet<string>;
  readonly first: EventId;
  last: EventId;
}

export function orderInFiles({ steps, graph }: Timeline): OrderInFiles {
  const appended = new Map<string, number>();
  const locked = new Set<string>();
  for (const [path, uses] of usesOf(steps)) {
    const appending = uses.filter(({ how }) => how === 'appends');
    const writing = uses.filter(({ how }) => how === 'writes');
    const appenders = processesOf(appending);
    // Whoever makes the file anew before anybody appends to it may do so.
    if (appenders > 1 && areAround(graph, writing, appending)) appended.set(path, appenders);
    if (isLocked(graph, path, uses)) locked.add(path);
  }
  return { appended, locked };
}

function isLocked(graph: HappensBeforeGraph, path: string, uses: readonly Use[]): boolean {
  const changing = uses.filter(({ how }) => how !== 'reads');
  // What only one writes shows no order.
  if (processesOf(changing) < 2) return false;
  if (changing.every(({ locks }) => locks.has(path))) return true;
  const candidates = new Set(uses.flatMap(({ locks }) => [...locks]));
  return [...candidates].some((lock) => {
    const [inside, outside] = [true, false].map((has) =>
      uses.filter(({ locks }) => locks.has(lock) === has),
    );
    return processesOf(inside!) > 1 && areAround(graph, outside!, inside!);
  });
}

const processesOf = (uses: readonly Use[]): number =>
  new Set(uses.map(({ process }) => process)).size;

/**
 * Whether each of these comes before all of those, or after: to make a file, or to look at it in the
 * end. In between, it may be a mere chance that something puts them in order.
 */
function areAround(
  graph: HappensBeforeGraph,
  these: readonly Use[],
  those: readonly Use[],
): boolean {
  return these.every(
    (one) =>
      those.every((other) => graph.happensBefore(one.last, other.first)) ||
      those.every((other) => graph.happensBefore(other.last, one.first)),
  );
}

/** Of files that somebody changes. */
function usesOf(steps: readonly Step[]): [string, readonly Use[]][] {
  const held = new HeldLocks();
  const uses = new Map<string, Map<string, Use>>();
  const changed = new Set<string>();
  for (const step of steps) {
    held.note(step);
    const { process, event } = step;
    for (const { op, part, thing } of step.operations) {
      if (part !== 'contents') continue;
      const how = op === 'load' ? 'reads' : isAppending(step) ? 'appends' : 'writes';
      if (op === 'store') changed.add(thing.name);
      const locks = held.of(process);
      const key = [process, how, ...locks].join('\0');
      const known = uses.get(thing.name) ?? new Map<string, Use>();
      uses.set(thing.name, known);
      const use = known.get(key);
      if (use) use.last = event;
      else known.set(key, { process, how, locks, first: event, last: event });
    }
  }
  return [...changed].map((path) => [path, [...uses.get(path)!.values()]]);
}

/**
 * Which locks processes have alone. As in detect/order/locks.ts, flock(1) takes one for its parent;
 * and whoever is started under a lock works under it. What the command itself has locked, it has
 * locked for all of them.
 */
class HeldLocks {
  readonly #own = new Map<Pid, Set<string>>();
  readonly #parents = new Map<Pid, Pid>();

  note({ record, process, name }: Step): void {
    if (record.kind === 'start' && record.how !== 'thread') this.#parents.set(record.pid, process);
    if (record.kind !== 'call' || name === undefined) return;
    const parent = this.#parents.get(process);
    const holders = parent === undefined ? [process] : [process, parent];
    if (takesLockAlone(record)) {
      for (const one of holders) this.#own.set(one, (this.#own.get(one) ?? new Set()).add(name));
    } else if (leavesLock(record)) {
      for (const one of holders) this.#own.get(one)?.delete(name);
    }
  }

  of(process: Pid): ReadonlySet<string> {
    const locks = new Set<string>();
    const seen = new Set<Pid>();
    for (let one: Pid | undefined = process; one !== undefined && !seen.has(one); ) {
      seen.add(one);
      const parent = this.#parents.get(one);
      if (parent !== undefined) for (const lock of this.#own.get(one) ?? []) locks.add(lock);
      one = parent;
    }
    return locks;
  }
}

/** Only of what goes to the end, wherever that is, does it matter where the end is (contents.ts). */
const isAppending = ({ record, operations }: Step): boolean =>
  record.kind === 'call' &&
  /^p?write/.test(syscallName(record.number)) &&
  operations.some(({ op, part, commutes }) => op === 'store' && part === 'end' && !commutes);
