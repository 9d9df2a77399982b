/**
 * All orders of a trace's events that the rules of docs/prediction.md allow, tried one after the other
 * without any haste or thought: what the searches are compared with. It works on events, and knows nothing
 * of steps.
 *
 * Returns, for two accesses, how many synchronisation events the shortest way to their race has, or
 * undefined if there is none.
 */
import { isAccess, isStore, Op } from '../../model/op.ts';
import type { ThreadTrace } from '../../model/trace.ts';

interface Options {
  readonly sound: boolean;
  readonly from: number;
  readonly to: number;
}

/** What the trace itself tells about its events, beside their order. */
interface Facts {
  /** By a load: the store that it found. */
  readonly found: ReadonlyMap<number, number>;
  /** Atomic loads that found a plain store, where these do not count: they may find anything. */
  readonly free: ReadonlySet<number>;
  /** Waits (the acquire after them) that no signal can have ended. */
  readonly lapsed: ReadonlySet<number>;
  /** By leave: the arrivals that it needs. By arrive: those of earlier rounds. */
  readonly arrivals: ReadonlyMap<number, readonly number[]>;
}

export function bruteForce(
  trace: ThreadTrace,
  first: number,
  second: number,
  options: Options,
): number | undefined {
  return new BruteForce(trace, options).search(first, second);
}

/** Whether these synchronisation events, in this order and with no others, lead to both accesses. */
export function leadsThere(
  trace: ThreadTrace,
  order: readonly number[],
  first: number,
  second: number,
  options: Options,
): boolean {
  return new BruteForce(trace, options).leadsThere(order, first, second);
}

/** Everything by name; what is not there is 0. */
class State {
  readonly #values: ReadonlyMap<string, number>;
  readonly key: string;

  constructor(values: ReadonlyMap<string, number>) {
    this.#values = values;
    const set = [...values].filter(([, value]) => value !== 0).sort();
    this.key = set.map(([name, value]) => `${name}=${value}`).join(' ');
  }

  get(name: string): number {
    return this.#values.get(name) ?? 0;
  }

  with(...changes: readonly (readonly [string, number])[]): State {
    return new State(new Map([...this.#values, ...changes]));
  }

  names(beginning: string): string[] {
    return [...this.#values.keys()].filter((name) => name.startsWith(beginning));
  }
}

class BruteForce {
  readonly #trace: ThreadTrace;
  readonly #options: Options;
  readonly #facts: Facts;
  /** By thread: its events in the window. */
  readonly #events = new Map<number, number[]>();

  constructor(trace: ThreadTrace, options: Options) {
    this.#trace = trace;
    this.#options = options;
    this.#facts = factsOf(trace, options.sound, options.from);
    for (let event = options.from; event < options.to; event++) {
      const thread = trace.threadAt(event);
      this.#events.set(thread, [...(this.#events.get(thread) ?? []), event]);
    }
  }

  search(first: number, second: number): number | undefined {
    let frontier = [this.#start()];
    const seen = new Set<string>();
    for (let cost = 0; frontier.length > 0; cost++) {
      const further: State[] = [];
      // Grows while it is gone through: what costs nothing leads to states of the same cost.
      for (const state of frontier) {
        if (seen.has(state.key)) continue;
        seen.add(state.key);
        if (this.#isAt(state, first) && this.#isAt(state, second)) return cost;
        for (const thread of this.#events.keys()) {
          const event = this.#next(state, thread);
          if (event === undefined || event === first || event === second) continue;
          const moved = this.#moved(state, event);
          (this.#isSynchronisation(event) ? further : frontier).push(...moved);
        }
      }
      frontier = further;
    }
    return undefined;
  }

  leadsThere(order: readonly number[], first: number, second: number): boolean {
    let states = [this.#start()];
    for (const event of [...order, undefined]) {
      states = this.#withPlainAccesses(states, [first, second]);
      if (event === undefined) break;
      const thread = this.#trace.threadAt(event);
      const ready = states.filter((state) => this.#next(state, thread) === event);
      states = ready.flatMap((state) => this.#moved(state, event));
    }
    return states.some((state) => this.#isAt(state, first) && this.#isAt(state, second));
  }

  /** These, and all that accesses without synchronisation lead to. */
  #withPlainAccesses(states: readonly State[], leftOut: readonly number[]): State[] {
    const reached = [...states];
    const seen = new Set<string>();
    // Grows while it is gone through.
    for (const state of reached) {
      if (seen.has(state.key)) continue;
      seen.add(state.key);
      for (const thread of this.#events.keys()) {
        const event = this.#next(state, thread);
        if (event === undefined || leftOut.includes(event)) continue;
        if (!this.#isSynchronisation(event)) reached.push(...this.#moved(state, event));
      }
    }
    return reached;
  }

  #next(state: State, thread: number): number | undefined {
    return this.#events.get(thread)?.[state.get(`position ${thread}`)];
  }

  #isAt(state: State, event: number): boolean {
    const thread = this.#trace.threadAt(event);
    return this.#next(state, thread) === event && this.#isStarted(state, thread);
  }

  #moved(state: State, event: number): State[] {
    const position = `position ${this.#trace.threadAt(event)}`;
    return this.#successors(state, event).map((one) => one.with([position, one.get(position) + 1]));
  }

  #isSynchronisation(event: number): boolean {
    const op = this.#trace.opAt(event);
    if (op === Op.atomicRead && this.#facts.free.has(event)) return false;
    return op !== Op.read && op !== Op.write;
  }

  /** Where the events before the window lead to, if the rest of the trace is to be possible. */
  #start(): State {
    const visit = (state: State, event: number): State | undefined => {
      if (event === this.#trace.length) return state;
      for (const next of this.#successors(state, event, true)) {
        const end = visit(next, event + 1);
        if (end !== undefined) return event < this.#options.from ? end : state;
      }
      return undefined;
    };
    const all = visit(new State(new Map()), 0);
    if (all === undefined) throw new Error('the trace itself is not possible');
    return all;
  }

  /** None if the event cannot be now; several if a signal has several to wake. */
  #successors(state: State, event: number, isReplay = false): State[] {
    const trace = this.#trace;
    const thread = trace.threadAt(event);
    const op = trace.opAt(event);
    const target = trace.targetAt(event);
    const happened = (one: number): boolean => {
      if (isReplay || one < this.#options.from) return true;
      const others = this.#events.get(trace.threadAt(one))!;
      return state.get(`position ${trace.threadAt(one)}`) > others.indexOf(one);
    };
    if (!this.#isStarted(state, thread)) return [];
    if (isAccess(op)) return this.#access(state, event, isReplay);
    switch (op) {
      case Op.fork:
        return [state.with([`forked ${target}`, 1])];
      case Op.join: {
        const before = Array.from({ length: event }, (_, i) => i);
        const all = before.filter((one) => trace.threadAt(one) === target);
        return all.every(happened) && this.#isStarted(state, target) ? [state] : [];
      }
      case Op.acquire: {
        if (state.get(`owner ${target}`) !== 0 || state.get(`readers ${target}`) !== 0) return [];
        const wait = state.get(`wait ${thread}`);
        if (wait === 1 && !this.#facts.lapsed.has(event)) return [];
        return [state.with([`owner ${target}`, thread + 1], [`wait ${thread}`, 0])];
      }
      case Op.release:
        return [state.with([`owner ${target}`, 0])];
      case Op.acquireShared:
        if (state.get(`owner ${target}`) !== 0) return [];
        return [state.with([`readers ${target}`, state.get(`readers ${target}`) + 1])];
      case Op.releaseShared:
        return [state.with([`readers ${target}`, state.get(`readers ${target}`) - 1])];
      case Op.waitBegin:
        return [state.with([`wait ${thread}`, 1], [`condition ${thread}`, target])];
      case Op.broadcast:
      case Op.signal: {
        const waiting = state
          .names('wait ')
          .map((name) => Number(name.slice(5)))
          .filter((one) => state.get(`wait ${one}`) === 1)
          .filter((one) => state.get(`condition ${one}`) === target);
        if (waiting.length === 0) return [state];
        if (op === Op.signal) return waiting.map((one) => state.with([`wait ${one}`, 2]));
        return [state.with(...waiting.map((one) => [`wait ${one}`, 2] as const))];
      }
      case Op.post:
        return [state.with([`count ${target}`, state.get(`count ${target}`) + 1])];
      case Op.waitDone: {
        const count = state.get(`count ${target}`);
        const isThere = count + firstCount(trace, target) > 0;
        return isThere ? [state.with([`count ${target}`, count - 1])] : [];
      }
      case Op.arrive:
      case Op.leave:
        return this.#facts.arrivals.get(event)!.every(happened) ? [state] : [];
      case Op.onceBegin:
        return [state.with([`once ${target}`, 1])];
      case Op.onceEnd:
        return [state.with([`once ${target}`, 2])];
      case Op.oncePass:
        return state.get(`once ${target}`) === 2 ? [state] : [];
      default:
        return [state];
    }
  }

  #isStarted(state: State, thread: number): boolean {
    return !isForked(this.#trace, thread) || state.get(`forked ${thread}`) === 1;
  }

  #access(state: State, event: number, isReplay: boolean): State[] {
    const op = this.#trace.opAt(event);
    const isPlain = op === Op.read || op === Op.write;
    const { sound, from } = this.#options;
    // What is before the window is no store of it.
    if (isPlain && !sound) return [state];
    if (sound && (isReplay || event < from)) return [state];
    const name = `last store ${this.#trace.targetAt(event)}`;
    const isLoad = op !== Op.write && op !== Op.atomicWrite;
    const found = this.#facts.found.get(event);
    const isBound = isLoad && !this.#facts.free.has(event);
    if (isBound && state.get(name) !== (found === undefined ? 0 : found + 1)) return [];
    return [isStore(op) ? state.with([name, event + 1]) : state];
  }
}

function isForked(trace: ThreadTrace, thread: number): boolean {
  for (let event = 0; event < trace.length; event++) {
    if (trace.opAt(event) === Op.fork && trace.targetAt(event) === thread) return true;
  }
  return false;
}

/** The least with which the trace is possible. */
function firstCount(trace: ThreadTrace, semaphore: number): number {
  let count = 0;
  let least = 0;
  for (let event = 0; event < trace.length; event++) {
    if (trace.targetAt(event) !== semaphore) continue;
    if (trace.opAt(event) === Op.post) count++;
    if (trace.opAt(event) === Op.waitDone) count--;
    least = Math.min(least, count);
  }
  return -least;
}

function factsOf(trace: ThreadTrace, sound: boolean, from: number): Facts {
  const found = new Map<number, number>();
  const free = new Set<number>();
  const overwritten = new Set<number>();
  const stores = new Map<number, number>();
  for (let event = sound ? from : 0; event < trace.length; event++) {
    const op = trace.opAt(event);
    if (!isAccess(op) || (!sound && op === Op.read)) continue;
    const variable = trace.targetAt(event);
    if (!sound) {
      if (op === Op.write) overwritten.add(variable);
      else if (overwritten.has(variable)) free.add(event);
      if (op === Op.write) continue;
      if (isStore(op)) overwritten.delete(variable);
    }
    if (op !== Op.write && op !== Op.atomicWrite && stores.has(variable)) {
      found.set(event, stores.get(variable)!);
    }
    if (isStore(op)) stores.set(variable, event);
  }
  return { found, free, lapsed: lapsedWaits(trace), arrivals: arrivalsNeeded(trace) };
}

/** As few as possible: tries who is woken by each signal in all ways. */
function lapsedWaits(trace: ThreadTrace): Set<number> {
  const visit = (event: number, waiting: ReadonlyMap<number, boolean>): number[] => {
    if (event === trace.length) return [];
    const thread = trace.threadAt(event);
    const op = trace.opAt(event);
    const target = trace.targetAt(event);
    const isWaiting = (one: number): boolean =>
      waiting.get(one) === false && conditionOf(trace, one, event) === target;
    if (op === Op.waitBegin) return visit(event + 1, new Map(waiting).set(thread, false));
    if (op === Op.acquire && waiting.has(thread)) {
      const others = new Map(waiting);
      others.delete(thread);
      const rest = visit(event + 1, others);
      return waiting.get(thread) ? rest : [event, ...rest];
    }
    if (op === Op.broadcast) {
      const all = [...waiting].map(([one, woken]) => [one, woken || isWaiting(one)] as const);
      return visit(event + 1, new Map(all));
    }
    const choices = op === Op.signal ? [...waiting.keys()].filter(isWaiting) : [];
    if (choices.length === 0) return visit(event + 1, waiting);
    return choices
      .map((one) => visit(event + 1, new Map(waiting).set(one, true)))
      .reduce((best, other) => (better(other, best) ? other : best));
  };
  return new Set(visit(0, new Map()));
}

/** Fewer, or as many but later ones. */
function better(one: readonly number[], other: readonly number[]): boolean {
  if (one.length !== other.length) return one.length < other.length;
  return one.some(
    (event, i) => event > other[i]! && one.slice(0, i).every((e, j) => e === other[j]),
  );
}

function conditionOf(trace: ThreadTrace, thread: number, before: number): number | undefined {
  for (let event = before - 1; event >= 0; event--) {
    const isWait = trace.opAt(event) === Op.waitBegin && trace.threadAt(event) === thread;
    if (isWait) return trace.targetAt(event);
  }
  return undefined;
}

/** Barriers are for two here: the first two arrivals are the first round, and so on. */
function arrivalsNeeded(trace: ThreadTrace): Map<number, readonly number[]> {
  const needed = new Map<number, readonly number[]>();
  const arrivals = new Map<number, number[]>();
  const rounds = new Map<string, number>();
  for (let event = 0; event < trace.length; event++) {
    const op = trace.opAt(event);
    if (op !== Op.arrive && op !== Op.leave) continue;
    const barrier = trace.targetAt(event);
    const key = `${barrier} ${trace.threadAt(event)}`;
    const all = arrivals.get(barrier) ?? [];
    arrivals.set(barrier, all);
    if (op === Op.arrive) {
      const round = Math.floor(all.length / 2);
      rounds.set(key, round);
      needed.set(event, all.slice(0, 2 * round));
      all.push(event);
    } else {
      needed.set(event, all.slice(0, 2 * rounds.get(key)! + 2));
    }
  }
  return needed;
}
