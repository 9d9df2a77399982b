/**
 * Which plain accesses of a trace happen before which, by the book and without haste: what a lock, a
 * signal, a barrier … promises, and nothing else. An access is known by its place among the plain ones.
 */
import { Op } from '../../model/op.ts';
import type { ThreadTrace } from '../../model/trace.ts';

type Clock = Map<number, number>;

function learn(clock: Clock, from: Clock | undefined): void {
  for (const [thread, time] of from ?? [])
    clock.set(thread, Math.max(clock.get(thread) ?? 0, time));
}

/** `isLeftOut`: variables whose accesses do not count, by name. */
export function plainOrder(trace: ThreadTrace, isLeftOut: (name: string) => boolean): Set<string> {
  const clocks = new Map<number, Clock>();
  const clockOf = (thread: number): Clock => {
    const clock = clocks.get(thread) ?? new Map([[thread, 1]]);
    clocks.set(thread, clock);
    return clock;
  };
  const told = new Map<string, Clock>();
  const tell = (about: string, clock: Clock): void => {
    const all = told.get(about) ?? new Map();
    learn(all, clock);
    told.set(about, all);
  };
  const accesses: { thread: number; time: number; clock: Clock }[] = [];
  for (let i = 0; i < trace.length; i++) {
    const thread = trace.threadAt(i);
    const target = trace.targetAt(i);
    const op = trace.opAt(i) as Op;
    const clock = clockOf(thread);
    const [hears, tells] = PROMISES[op] ?? [[], []];
    for (const what of hears) learn(clock, told.get(`${what} ${target}`));
    if (op === Op.join) learn(clock, clockOf(target));
    if (op === Op.read || op === Op.write) {
      if (!isLeftOut(trace.tables.variables.row(target).symbol)) {
        accesses.push({ thread, time: clock.get(thread)!, clock: new Map(clock) });
      }
    }
    for (const what of tells) tell(`${what} ${target}`, clock);
    if (op === Op.fork) learn(clockOf(target), clock);
    clock.set(thread, clock.get(thread)! + 1);
  }
  const ordered = new Set<string>();
  for (const [j, later] of accesses.entries()) {
    for (const [i, earlier] of accesses.slice(0, j).entries()) {
      if ((later.clock.get(earlier.thread) ?? 0) >= earlier.time) ordered.add(`${i} before ${j}`);
    }
  }
  return ordered;
}

/** By op, whom it hears and who hears it. */
const PROMISES: Readonly<Partial<Record<Op, [string[], string[]]>>> = {
  [Op.acquire]: [['exclusive', 'shared'], []],
  [Op.release]: [[], ['exclusive']],
  [Op.acquireShared]: [['exclusive'], []],
  [Op.releaseShared]: [[], ['shared']],
  [Op.atomicRead]: [['atomic'], []],
  [Op.atomicWrite]: [[], ['atomic']],
  [Op.atomicUpdate]: [['atomic'], ['atomic']],
  [Op.signal]: [[], ['signal']],
  [Op.broadcast]: [[], ['signal']],
  [Op.waitEnd]: [['signal'], []],
  [Op.post]: [[], ['post']],
  [Op.waitDone]: [['post'], []],
  [Op.arrive]: [[], ['arrive']],
  [Op.leave]: [['arrive'], []],
  [Op.onceEnd]: [[], ['once']],
  [Op.oncePass]: [['once'], []],
};
