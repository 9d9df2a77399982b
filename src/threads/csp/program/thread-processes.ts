/** The steps of each thread as processes, with the accesses that may race between them. */
import type { Definition, Expression, Process } from '../algebra/script.ts';
import { Access } from './conflict.ts';
import type { RaceModel, Stop } from './race-model.ts';
import type { Step, StepKind } from './step.ts';
import { call, define, name, number, prefix, stop } from './terms.ts';

export type AccessChannel = 'read' | 'write' | 'atomicread' | 'atomicwrite';

/** So many steps are one definition: what is nested too deeply nobody can read. */
const STEPS_PER_DEFINITION = 8;

const PREFIXES = {
  Thread: 'T',
  Lock: 'L',
  Condition: 'C',
  Semaphore: 'S',
  Barrier: 'B',
  Once: 'O',
  Variable: 'V',
} as const;

/** `T3`: the thread with that number. */
export function constantOf(type: keyof typeof PREFIXES, object: number): string {
  return `${PREFIXES[type]}${object}`;
}

export class ThreadProcesses {
  readonly definitions: readonly Definition[];
  readonly #model: RaceModel;
  readonly #variable: Expression;

  constructor(model: RaceModel, variable: number) {
    this.#model = model;
    this.#variable = name(constantOf('Variable', variable));
    this.definitions = [...model.steps].flatMap(([thread, steps]) => this.#thread(thread, steps));
  }

  #thread(thread: number, steps: readonly Step[]): Definition[] {
    const side = this.#model.racing.indexOf(thread);
    const stops = new Map(
      (this.#model.stops[side] ?? []).map((one) => [one.position, one] as const),
    );
    const title = `THREAD_${constantOf('Thread', thread)}`;
    const definitions: Definition[] = [];
    let rest: Process = this.#access(thread, undefined, stops.get(steps.length), stop);
    for (let position = steps.length - 1; position >= 0; position--) {
      const step = steps[position]!;
      const one = prefix(CHANNELS[step.kind], fieldsOf(step), rest);
      rest = this.#access(thread, step, stops.get(position), one);
      if (position === 0 || position % STEPS_PER_DEFINITION !== 0) continue;
      const part = `${title}_${position / STEPS_PER_DEFINITION}`;
      definitions.push(define(part, rest));
      rest = call(part);
    }
    return [define(title, rest), ...definitions.reverse()];
  }

  /** Puts the accesses of a stop in front of what the thread does there. */
  #access(thread: number, step: Step | undefined, at: Stop | undefined, rest: Process): Process {
    if (at === undefined) return rest;
    const fields = [name(constantOf('Thread', thread)), this.#variable];
    const isStep = step !== undefined && at.accesses.includes(step.at);
    const own = isStep ? kindOfStep(step, at.kinds) : 0;
    const others = at.kinds & ~own;
    const process: Process =
      own === 0
        ? rest
        : { kind: 'choice', left: prefix(channelsOf(own)[0]!, fields, stop), right: rest };
    return channelsOf(others).reduceRight((after, one) => prefix(one, fields, after), process);
  }
}

/** Which of the kinds at a stop that of the step is: a plain one is alone there. */
function kindOfStep({ kind, event, at }: Step, kinds: number): number {
  if (event !== at) return kinds;
  return kind === 'load' ? Access.atomicRead : Access.atomicWrite;
}

/**
 * In the order of the program: an atomic access is a step, and the last one at its stop. Of plain ones the
 * write is enough: whatever races with the read races with it too.
 */
function channelsOf(kinds: number): AccessChannel[] {
  const channels: AccessChannel[] = [];
  if ((kinds & Access.write) !== 0) channels.push('write');
  else if ((kinds & Access.read) !== 0) channels.push('read');
  if ((kinds & Access.atomicWrite) !== 0) channels.push('atomicwrite');
  else if ((kinds & Access.atomicRead) !== 0) channels.push('atomicread');
  return channels;
}

/** What follows the channel in the event of a step. */
function fieldsOf({ kind, thread, object, need, make }: Step): Expression[] {
  const t = name(constantOf('Thread', thread));
  switch (kind) {
    case 'begin':
    case 'end':
      return [t];
    case 'fork':
    case 'join':
      return [t, name(constantOf('Thread', object))];
    case 'lock':
    case 'unlock':
    case 'lockShared':
    case 'unlockShared':
      return [t, name(constantOf('Lock', object))];
    case 'waitBegin':
    case 'woken':
    case 'lapsed':
    case 'waitEnd':
    case 'signal':
    case 'broadcast':
      return [t, name(constantOf('Condition', object))];
    case 'post':
    case 'waitDone':
      return [t, name(constantOf('Semaphore', object))];
    case 'arrive':
    case 'leave':
      return [t, name(constantOf('Barrier', object)), number(need)];
    case 'onceBegin':
    case 'onceEnd':
      return [t, name(constantOf('Once', object))];
    case 'oncePass':
      return [t, name(constantOf('Once', object)), number(need)];
    case 'load':
      return [t, name(constantOf('Variable', object)), number(need)];
    case 'store':
      return [t, name(constantOf('Variable', object)), number(make)];
    case 'update':
      return [t, name(constantOf('Variable', object)), number(need), number(make)];
  }
}

export const CHANNELS: Readonly<Record<StepKind, string>> = {
  fork: 'fork',
  begin: 'start',
  end: 'end',
  join: 'join',
  lock: 'lock',
  unlock: 'unlock',
  lockShared: 'lockshared',
  unlockShared: 'unlockshared',
  waitBegin: 'waitbegin',
  woken: 'woken',
  lapsed: 'lapsed',
  waitEnd: 'waitend',
  signal: 'signal',
  broadcast: 'broadcast',
  post: 'post',
  waitDone: 'waitdone',
  arrive: 'arrive',
  leave: 'leave',
  onceBegin: 'oncebegin',
  onceEnd: 'onceend',
  oncePass: 'oncepass',
  load: 'load',
  store: 'store',
  update: 'update',
};
