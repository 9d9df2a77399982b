/**
 * The accesses of a part of a trace as steps, for those variables that several threads use and somebody
 * changes, and all that are atomic: each load says which store it found.
 *
 *   T1 w(x)   T2 r(x)   T1 w(x)   T3 r(x)         store 1   load 1   store 2   load 2
 *
 * A load right after one of the same store, by the same thread and with no step between, is left out: it
 * can always come right after the other.
 */
import { isAccess, isStore, NONE, Op } from '../../model/op.ts';
import type { ThreadTrace } from '../../model/trace.ts';
import type { Window } from '../race-search.ts';
import type { Step } from './step.ts';

const MANY = -1;

/** In the order of the trace. `others`: all further steps there. */
export function accessSteps(
  trace: ThreadTrace,
  { from, to }: Window,
  others: readonly Step[],
): Step[] {
  const shared = sharedVariables(trace, { from, to });
  const stores = new Map<number, number>();
  const steps: Step[] = [];
  /** By thread: its last step, if it is one of these. */
  const last = new Map<number, Step>();
  let next = 0;
  for (let event = from; event < to; event++) {
    for (; next < others.length && others[next]!.at <= event; next++) {
      last.delete(others[next]!.thread);
    }
    const op = trace.opAt(event);
    const object = trace.targetAt(event);
    const isPlain = op === Op.read || op === Op.write;
    if (!isAccess(op) || (isPlain && !shared.has(object))) continue;
    const thread = trace.threadAt(event);
    const before = stores.get(object) ?? 0;
    const make = isStore(op) ? before + 1 : 0;
    const kind = op === Op.atomicUpdate ? 'update' : isStore(op) ? 'store' : 'load';
    const need = kind === 'store' ? 0 : before;
    const earlier = last.get(thread);
    const isRepeated =
      op === Op.read &&
      earlier?.object === object &&
      earlier.kind === 'load' &&
      earlier.need === need;
    if (isRepeated) continue;
    if (make > 0) stores.set(object, make);
    const step: Step = {
      kind,
      thread,
      object,
      need,
      make,
      event: isPlain ? NONE : event,
      at: event,
    };
    steps.push(step);
    last.set(thread, step);
  }
  return steps;
}

function sharedVariables(trace: ThreadTrace, { from, to }: Window): Set<number> {
  const users = new Map<number, number>();
  const changed = new Set<number>();
  for (let event = from; event < to; event++) {
    const op = trace.opAt(event);
    if (!isAccess(op)) continue;
    const variable = trace.targetAt(event);
    const thread = trace.threadAt(event);
    const user = users.get(variable) ?? thread;
    users.set(variable, user === thread ? thread : MANY);
    if (isStore(op)) changed.add(variable);
  }
  return new Set([...changed].filter((variable) => users.get(variable) === MANY));
}
