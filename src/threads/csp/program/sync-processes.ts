/**
 * SYNC: a process for each thing that threads wait for, beginning as it is at first.
 *
 *   MUTEXES = ||| i : {L0, L2} @ MUTEX(i)
 *   SYNC = FORKS ||| JOINS ||| MUTEXES
 */
import type { Definition, Expression, Process } from '../algebra/script.ts';
import { groupedBy } from './grouped.ts';
import type { RaceModel } from './race-model.ts';
import { Waiting } from './start-values.ts';
import { type Family, familyOf, type Step } from './step.ts';
import { call, define, event, joined, list, name, number } from './terms.ts';
import { constantOf } from './thread-processes.ts';

/** In the order of the paper, then what it plans. */
const GROUPS: readonly (readonly [Family, string])[] = [
  ['fork', 'FORKS'],
  ['join', 'JOINS'],
  ['lock', 'MUTEXES'],
  ['condition', 'CONDITIONS'],
  ['semaphore', 'SEMAPHORES'],
  ['barrier', 'BARRIERS'],
  ['once', 'ONCES'],
  ['variable', 'VARIABLES'],
];

export function syncProcesses(model: RaceModel): Definition[] {
  const steps = [...model.steps.values()].flat();
  const groups = GROUPS.flatMap(([family, title]) => {
    const ofFamily = steps.filter(({ kind }) => familyOf[kind] === family);
    const byObject = groupedBy(ofFamily, 'object');
    const processes = [...byObject].map(([object, own]) => processOf(model, family, object, own));
    return processes.length === 0 ? [] : [define(title, interleaved(processes))];
  });
  const names = groups.map((group) => call(group.kind === 'process' ? group.name : ''));
  return [...groups, define('SYNC', joined('interleave', names))];
}

/** Short if they differ only in whom they are for. */
function interleaved(processes: readonly Process[]): Process {
  const [first] = processes;
  const calls = processes.filter((one) => one.kind === 'call');
  const isUniform =
    first?.kind === 'call' &&
    calls.length === processes.length &&
    calls.every((one) => one.name === first.name && one.arguments.length === 1);
  if (!isUniform || processes.length === 1) return joined('interleave', processes);
  return {
    kind: 'replicated',
    operator: { kind: 'interleave' },
    name: 'i',
    over: list(calls.map((one) => one.arguments[0]!)),
    body: call(first.name, name('i')),
  };
}

function processOf(
  model: RaceModel,
  family: Family,
  object: number,
  steps: readonly Step[],
): Process {
  const value = model.start.of(family, object);
  switch (family) {
    case 'fork':
      return call(value === 0 ? 'FORK' : 'FORKED', name(constantOf('Thread', object)));
    case 'join':
      return call(value === 0 ? 'JOIN' : 'JOINED', name(constantOf('Thread', object)));
    case 'lock':
      return lock(name(constantOf('Lock', object)), value, steps);
    case 'condition':
      return condition(model, object, steps);
    case 'semaphore':
      return call('SEMAPHORE', name(constantOf('Semaphore', object)), number(value));
    case 'barrier':
      return call('BARRIER', name(constantOf('Barrier', object)), number(value));
    case 'once': {
      const process = value % 2 === 0 ? 'ONCE' : 'ONCE_RUNNING';
      return call(process, name(constantOf('Once', object)), number(Math.floor(value / 2)));
    }
    case 'variable': {
      const last = model.isSound ? 0 : value;
      return call('VARIABLE', name(constantOf('Variable', object)), number(last));
    }
  }
}

function lock(object: Expression, value: number, steps: readonly Step[]): Process {
  const isShared =
    value < 0 || steps.some(({ kind }) => kind === 'lockShared' || kind === 'unlockShared');
  if (value > 0) {
    const owner = name(constantOf('Thread', value - 1));
    return call(isShared ? 'RWLOCK_HELD' : 'MUTEX_HELD', object, owner);
  }
  return isShared ? call('RWLOCK', object, number(Math.abs(value))) : call('MUTEX', object);
}

/** Those who wait take broadcasts together; SIGNALS sees who began to wait before a signal. */
function condition(model: RaceModel, object: number, steps: readonly Step[]): Process {
  const c = name(constantOf('Condition', object));
  const threads = [...model.steps.keys()].map((thread) => name(constantOf('Thread', thread)));
  const events = (channel: string): Expression[] => threads.map((t) => event(channel, [t, c]));
  const waiters = [
    ...new Set(
      steps
        .filter(({ kind }) => kind === 'waitBegin' || kind === 'woken' || kind === 'lapsed')
        .map(({ thread }) => thread),
    ),
  ];
  if (waiters.length === 0) return call('SIGNALS', c);
  const together = waiters
    .map((thread) => {
      const state = WAITERS[model.start.waiting(object, thread)]!;
      return call(state, c, name(constantOf('Thread', thread)));
    })
    .reduce<Process | undefined>(
      (left, right) =>
        left === undefined
          ? right
          : { kind: 'parallel', left, shared: list(events('broadcast')), right },
      undefined,
    )!;
  const shared = list([...events('waitbegin'), ...events('wake'), ...events('broadcast')]);
  return {
    kind: 'hide',
    process: { kind: 'parallel', left: together, shared, right: call('SIGNALS', c) },
    hidden: list(events('wake')),
  };
}

const WAITERS: Readonly<Record<number, string>> = {
  [Waiting.no]: 'WAITER',
  [Waiting.yes]: 'WAITER_WAITING',
  [Waiting.woken]: 'WAITER_WOKEN',
};
