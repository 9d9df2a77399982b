/**
 * A race model as a CSP script, as in the paper: THREADs that do their steps one after the other, SYNC for
 * what they wait for, PATTERN, which does `race` when it sees two racing accesses one right after the
 * other, and the claim that nobody ever does `race`.
 *
 *   THREAD_T0 = write.T0.V1 -> lock.T0.L0 -> unlock.T0.L0 -> STOP
 *   assert STOP [T= (PROGRAM [| union(sync_set, rw_set) |] PATTERN) \ diff(Events, {race})
 *
 * An access that is a step itself is offered in two ways: `read.T0.V1 -> STOP`, the thread stands before
 * it, or as what it is, `load.T0.V1.2 -> …`. All things have their numbers as names.
 */
import type { Definition, Expression, Process, Script, SetExpression } from '../algebra/script.ts';
import { Access, isConflict } from './conflict.ts';
import { FAMILIES, FIELD_TYPES, processesOf } from './processes.ts';
import type { RaceModel } from './race-model.ts';
import { type Family, familyOf, type Step } from './step.ts';
import { syncProcesses } from './sync-processes.ts';
import { call, define, event, joined, list, name, named, number, prefix, stop } from './terms.ts';
import { type AccessChannel, constantOf, ThreadProcesses } from './thread-processes.ts';

/** Those channels of families whose events nobody has to wait for. */
const FREE_CHANNELS: ReadonlySet<string> = new Set(['waitend', 'wake']);

export function toScript(model: RaceModel, variable: number): Script {
  const families = familiesIn(model);
  const threads = new ThreadProcesses(model, variable);
  const shared = families.size > 0;
  const threadNames = [...model.steps.keys()].map((thread) =>
    call(`THREAD_${constantOf('Thread', thread)}`),
  );
  const inter = define('T_INTER', joined('interleave', threadNames));
  const program: Process = shared
    ? { kind: 'parallel', left: call('T_INTER'), shared: named('sync_set'), right: call('SYNC') }
    : call('T_INTER');
  const watched: SetExpression = shared
    ? { kind: 'union', left: named('sync_set'), right: named('rw_set') }
    : named('rw_set');
  const check: Process = {
    kind: 'parallel',
    left: call('PROGRAM'),
    shared: watched,
    right: call('PATTERN'),
  };
  return [
    ...declarations(model, families, variable),
    ...[...families].flatMap(processesOf),
    ...threads.definitions,
    inter,
    ...(shared ? [syncSet(families), ...syncProcesses(model)] : []),
    define('PROGRAM', program),
    ...pattern(model, variable, watched),
    {
      kind: 'assert',
      specification: stop,
      implementation: {
        kind: 'hide',
        process: check,
        hidden: { kind: 'difference', left: named('Events'), right: list([name('race')]) },
      },
    },
  ];
}

function familiesIn({ steps }: RaceModel): Set<Family> {
  return new Set([...steps.values()].flat().map(({ kind }) => familyOf[kind]));
}

function declarations(
  model: RaceModel,
  families: ReadonlySet<Family>,
  variable: number,
): Definition[] {
  const constants = new Map<string, Set<string>>([
    ['Variable', new Set([constantOf('Variable', variable)])],
    ['Thread', new Set([...model.steps.keys()].map((thread) => constantOf('Thread', thread)))],
  ]);
  const steps = [...model.steps.values()].flat();
  for (const { kind, object } of steps) {
    const type = TYPE_OF[familyOf[kind]];
    constants.set(type, (constants.get(type) ?? new Set()).add(constantOf(type, object)));
  }
  return [
    ...FIELD_TYPES.filter((type) => constants.has(type)).map(
      (type): Definition => ({
        kind: 'datatype',
        name: type,
        constants: [...constants.get(type)!],
      }),
    ),
    {
      kind: 'set',
      name: 'Count',
      value: { kind: 'range', from: number(0), to: number(greatestCount(model, steps)) },
    },
    {
      kind: 'channel',
      names: ['read', 'write', 'atomicread', 'atomicwrite'],
      types: [named('Thread'), named('Variable')],
    },
    { kind: 'channel', names: ['race'], types: [] },
    ...[...families].flatMap((family) => FAMILIES[family].channels.map(channel)),
  ];
}

/** Of the numbers in events: of stores, arrivals, and times that something was done once. */
function greatestCount(model: RaceModel, steps: readonly Step[]): number {
  const counts = steps.map(({ kind, object, need, make }) => {
    if (kind === 'woken') return 0;
    const last = familyOf[kind] === 'variable' && !model.isSound;
    return Math.max(need, make, last ? model.start.of('variable', object) : 0);
  });
  const ends = steps.filter(({ kind }) => kind === 'onceEnd');
  const levels = ends.map(({ object }) => Math.floor(model.start.of('once', object) / 2));
  return Math.max(0, ...counts, ...levels.map((level) => level + ends.length));
}

/** What the objects of a family are called. */
export const TYPE_OF: Readonly<Record<Family, (typeof FIELD_TYPES)[number]>> = {
  fork: 'Thread',
  join: 'Thread',
  lock: 'Lock',
  condition: 'Condition',
  semaphore: 'Semaphore',
  barrier: 'Barrier',
  once: 'Once',
  variable: 'Variable',
};

/** `lock, unlock : Thread.Lock` */
function channel(text: string): Definition {
  const [names, types] = text.split(' : ');
  return { kind: 'channel', names: names!.split(', '), types: types!.split('.').map(named) };
}

function syncSet(families: ReadonlySet<Family>): Definition {
  const names = [...families]
    .flatMap((family) => FAMILIES[family].channels)
    .flatMap((text) => text.split(' : ')[0]!.split(', '))
    .filter((one) => !FREE_CHANNELS.has(one));
  return { kind: 'set', name: 'sync_set', value: { kind: 'closure', items: names.map(name) } };
}

const ACCESS_CHANNELS: readonly (readonly [AccessChannel, number])[] = [
  ['read', Access.read],
  ['write', Access.write],
  ['atomicread', Access.atomicRead],
  ['atomicwrite', Access.atomicWrite],
];

function pattern(
  { racing, stops }: RaceModel,
  variable: number,
  watched: SetExpression,
): Definition[] {
  const isAtomic = stops.flat().some(({ kinds }) => (kinds & ~(Access.read | Access.write)) !== 0);
  const channels = isAtomic ? ACCESS_CHANNELS : ACCESS_CHANNELS.slice(0, 2);
  const [first, second] = racing.map((thread) => name(constantOf('Thread', thread)));
  const v = name(constantOf('Variable', variable));
  const both: readonly (readonly [Expression, Expression])[] = [
    [first!, second!],
    [second!, first!],
  ];
  const cases = both.flatMap(([one, other]) =>
    channels.flatMap(([before, beforeKind]) =>
      channels
        .filter(([, afterKind]) => isConflict(beforeKind, afterKind))
        .map(([after]) =>
          prefix(before, [one, v], prefix(after, [other, v], prefix('race', [], stop))),
        ),
    ),
  );
  const accesses = [first!, second!].flatMap((thread) =>
    channels.map(([one]) => event(one, [thread, v])),
  );
  return [
    { kind: 'set', name: 'rw_set', value: list(accesses) },
    define('PATT_ERR', joined('choice', cases)),
    define('PATTERN', {
      kind: 'interrupt',
      left: call('PATT_ERR'),
      right: {
        kind: 'replicated',
        operator: { kind: 'choice' },
        name: 'x',
        over: watched,
        body: { kind: 'prefix', head: 'x', fields: [], rest: call('PATTERN') },
      },
    }),
  ];
}
