/**
 * Leaves out of a race model what can be of no help to the two threads that are to race. Everybody may stop
 * anywhere, so a thread that nobody waits for need not run at all: it could only be in the way.
 *
 *   T1  lock m  unlock m  w(x)       asked for x: T3 gives T1 and T2 nothing that they need, and goes.
 *   T2  w(x)                         Were T2 forked by T3, T3 would stay, up to that fork.
 *   T3  lock m  unlock m  …
 *
 * Of others, what stays ends with the last thing that somebody needs of them: a fork, a signal, a post, a store
 * that is found, …; and goes on until they hold no lock any more, which those who stay may want.
 */
import type { Step } from './step.ts';

/** Something of which a thread may need that another one does it. */
type Help = string;

interface Place {
  readonly thread: number;
  readonly position: number;
}

/** By thread, its steps, of which only the first so many are kept; those of the racing threads all. */
export function helpfulSteps(
  steps: ReadonlyMap<number, readonly Step[]>,
  racing: readonly number[],
): Map<number, readonly Step[]> {
  const helps = helpsIn(steps);
  const kept = new Map<number, number>(racing.map((thread) => [thread, 0]));
  const wanted = new Map<number, number>();
  for (const thread of racing) wanted.set(thread, steps.get(thread)!.length);
  const asked = new Set<Help>();
  const waiting = [...racing];
  for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop()) {
    const own = steps.get(thread)!;
    const end = wanted.get(thread)!;
    for (let i = kept.get(thread) ?? 0; i < end; i++) {
      for (const help of needsOf(own[i]!)) {
        if (asked.has(help)) continue;
        asked.add(help);
        for (const place of helps.get(help) ?? []) ask(place);
      }
    }
    kept.set(thread, end);
  }
  return new Map(
    [...steps]
      .filter(([thread]) => kept.has(thread))
      .map(([thread, own]) => [thread, own.slice(0, kept.get(thread))]),
  );

  function ask({ thread, position }: Place): void {
    const own = steps.get(thread)!;
    if (position < (wanted.get(thread) ?? 0)) return;
    wanted.set(thread, endWithoutLocks(own, position + 1));
    waiting.push(thread);
  }
}

/** The first place from `from` on at which the thread holds nothing that it has taken. */
function endWithoutLocks(steps: readonly Step[], from: number): number {
  const held = new Map<number, number>();
  for (const [position, { kind, object }] of steps.entries()) {
    if (position >= from && held.size === 0) return position;
    const count = held.get(object) ?? 0;
    if (kind === 'lock' || kind === 'lockShared') held.set(object, count + 1);
    if (kind !== 'unlock' && kind !== 'unlockShared') continue;
    if (count > 1) held.set(object, count - 1);
    else held.delete(object);
  }
  return steps.length;
}

/** By help, who gives it, and where. */
function helpsIn(steps: ReadonlyMap<number, readonly Step[]>): Map<Help, Place[]> {
  const helps = new Map<Help, Place[]>();
  for (const [thread, own] of steps) {
    const taken = new Set<number>();
    for (const [position, step] of own.entries()) {
      if (step.kind === 'lock' || step.kind === 'lockShared') taken.add(step.object);
      const help = helpOf(step, taken);
      if (help === undefined) continue;
      const places = helps.get(help);
      if (places === undefined) helps.set(help, [{ thread, position }]);
      else places.push({ thread, position });
    }
  }
  return helps;
}

/** `taken`: the locks that the thread has taken in these steps; what it held before, others may wait for. */
function helpOf({ kind, object, make }: Step, taken: ReadonlySet<number>): Help | undefined {
  switch (kind) {
    case 'fork':
      return `fork ${object}`;
    case 'end':
      return `end ${object}`;
    case 'unlock':
    case 'unlockShared':
      return taken.has(object) ? undefined : `lock ${object}`;
    case 'signal':
    case 'broadcast':
      return `condition ${object}`;
    case 'post':
      return `semaphore ${object}`;
    case 'arrive':
      return `barrier ${object}`;
    case 'onceBegin':
    case 'onceEnd':
      return `once ${object}`;
    case 'store':
    case 'update':
      return `store ${make} of ${object}`;
    case 'begin':
    case 'join':
    case 'lock':
    case 'lockShared':
    case 'waitBegin':
    case 'woken':
    case 'lapsed':
    case 'waitEnd':
    case 'waitDone':
    case 'leave':
    case 'oncePass':
    case 'load':
      return undefined;
  }
}

function needsOf({ kind, object, need }: Step): readonly Help[] {
  switch (kind) {
    case 'begin':
      return [`fork ${object}`];
    case 'join':
      return [`end ${object}`];
    case 'lock':
    case 'lockShared':
      return [`lock ${object}`];
    case 'woken':
      return [`condition ${object}`];
    case 'waitDone':
      return [`semaphore ${object}`];
    case 'arrive':
    case 'leave':
      return [`barrier ${object}`];
    case 'onceBegin':
    case 'oncePass':
      return [`once ${object}`];
    case 'load':
    case 'update':
      return [`store ${need} of ${object}`];
    case 'fork':
    case 'end':
    case 'unlock':
    case 'unlockShared':
    case 'waitBegin':
    case 'lapsed':
    case 'waitEnd':
    case 'signal':
    case 'broadcast':
    case 'post':
    case 'onceEnd':
    case 'store':
      return [];
  }
}
