/**
 * Files that show in which order processes came, and are meant to:
 *
 *   echo done: a >>log      of three that do so, the log may have any order
 *   sqlite3 db 'insert …'   locks the database, writes, and lets others lock it
 *
 * What such a file looks like after another order is no harm of that order's. A race is tried with
 * two processes; when all the others come, nobody has decided.
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { EventId } from '../../order/ids.ts';
import { takesLockAlone } from '../detect/order/locks.ts';
import type { Step } from '../detect/step.ts';
import type { Timeline } from '../detect/timeline.ts';

export interface OrderInFiles {
  /** Files to which processes only append, and how many of them do. */
  readonly appended: ReadonlyMap<string, number>;
  /** Files that whoever writes to them has locked before. */
  readonly locked: ReadonlySet<string>;
}

export const NO_ORDER_IN_FILES: OrderInFiles = { appended: new Map(), locked: new Set() };

interface Written {
  readonly appending: Map<number, EventId>;
  readonly otherwise: Map<number, EventId>;
  isLocked: boolean;
}

export function orderInFiles({ steps, graph }: Timeline): OrderInFiles {
  const written = new Map<string, Written>();
  const lockers = new Map<string, Set<number>>();
  for (const step of steps) {
    const { record, process, event, name } = step;
    if (name !== undefined && record.kind === 'call' && takesLockAlone(record)) {
      lockers.set(name, (lockers.get(name) ?? new Set()).add(process));
    }
    for (const path of writtenBy(step)) {
      const file = written.get(path) ?? {
        appending: new Map(),
        otherwise: new Map(),
        isLocked: true,
      };
      written.set(path, file);
      (isAppending(step) ? file.appending : file.otherwise).set(process, event);
      file.isLocked &&= lockers.get(path)?.has(process) ?? false;
    }
  }
  const files = [...written];
  // Whoever makes the file anew before anybody appends to it may do so.
  const isOnlyAppended = ({ appending, otherwise }: Written): boolean =>
    appending.size > 1 &&
    [...otherwise.values()].every((one) =>
      [...appending.values()].every((other) => one === other || !graph.concurrent(one, other)),
    );
  const appended = files.filter(([, file]) => isOnlyAppended(file));
  return {
    appended: new Map(appended.map(([path, { appending }]) => [path, appending.size])),
    locked: new Set(files.flatMap(([path, { isLocked }]) => (isLocked ? [path] : []))),
  };
}

function writtenBy({ operations }: Step): ReadonlySet<string> {
  const stores = operations.filter(({ op, part }) => op === 'store' && part === 'contents');
  return new Set(stores.map(({ thing }) => thing.name));
}

/** Only of what goes to the end, wherever that is, does it matter where the end is (contents.ts). */
const isAppending = ({ record, operations }: Step): boolean =>
  record.kind === 'call' &&
  /^p?write/.test(syscallName(record.number)) &&
  operations.some(({ op, part, commutes }) => op === 'store' && part === 'end' && !commutes);
