/**
 * Small programs with locks, made at random: as C, for the analysis, and as steps, for an interpreter that knows
 * nothing of summaries: it goes from state to state with the whole stack in hand.
 *
 *   void f0(void) {              0 lock a
 *     pthread_mutex_lock(&a);    1 branch 3
 *     if (c) v0++;               2 touch v0
 *     f1();                      3 call f1
 *     pthread_mutex_unlock(&a);  4 unlock a
 *   }                            5 return
 *
 * Functions only call later ones, so that stacks end. `take` is a call of a function that only takes the lock.
 */
import fc from 'fast-check';
import { type HeldId, HeldLocks, NOTHING_HELD, releasedPlace } from '../sections/held-locks.ts';

export type Statement =
  | { readonly kind: 'touch' | 'return' }
  | { readonly kind: 'lock' | 'unlock' | 'take' | 'drop'; readonly lock: 'a' | 'b' }
  | { readonly kind: 'call'; readonly skip: number }
  | { readonly kind: 'if' | 'while'; readonly body: readonly Statement[] };

export type SmallProgram = readonly (readonly Statement[])[];

const lock = fc.constantFrom('a' as const, 'b' as const);
const lockStatement = fc.record({
  kind: fc.constantFrom('lock' as const, 'unlock' as const, 'take' as const, 'drop' as const),
  lock,
});
const plain: fc.Arbitrary<Statement> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'touch' as const }) },
  { weight: 5, arbitrary: lockStatement },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('call' as const), skip: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'return' as const }) },
);
const block = (depth: number): fc.Arbitrary<Statement[]> =>
  fc.array(depth === 0 ? plain : fc.oneof({ weight: 3, arbitrary: plain }, nested(depth)), {
    minLength: 1,
    maxLength: 5,
  });
const nested = (depth: number): fc.Arbitrary<Statement> =>
  fc.record({
    kind: fc.constantFrom('if' as const, 'while' as const),
    body: block(depth - 1),
  });

export const smallProgram: fc.Arbitrary<SmallProgram> = fc.array(block(2), {
  minLength: 1,
  maxLength: 4,
});

export type Step =
  | { readonly kind: 'touch'; readonly variable: string }
  | { readonly kind: 'return' }
  | { readonly kind: 'lock' | 'unlock' | 'take' | 'drop'; readonly lock: string }
  | { readonly kind: 'call'; readonly target: number }
  /** Goes on, or there. */
  | { readonly kind: 'branch'; readonly target: number }
  | { readonly kind: 'jump'; readonly target: number };

export interface PlacedStep {
  readonly step: Step;
  /** Of the C file. */
  readonly line: number;
}

export interface Written {
  readonly functions: readonly (readonly PlacedStep[])[];
  readonly lines: readonly string[];
}

/** @param prefix keeps its names apart from those of others in the same file, which begins at `firstLine`. */
export function written(program: SmallProgram, prefix: string, firstLine: number): Written {
  const lines: string[] = [];
  const add = (text: string): number => lines.push(text) + firstLine - 1;
  let variables = 0;
  const header = program.map((_, n) => `void ${prefix}f${n}(void);`).join(' ');
  add(header);
  const functions = program.map((statements, number): PlacedStep[] => {
    const steps: PlacedStep[] = [];
    const put = (step: Step, line: number): number => steps.push({ step, line }) - 1;
    const write = (list: readonly Statement[]): void => list.forEach(writeOne);
    const writeOne = (statement: Statement): void => {
      switch (statement.kind) {
        case 'touch': {
          const variable = `${prefix}v${variables++}`;
          put({ kind: 'touch', variable }, add(`extern long ${variable}; ${variable}++;`));
          return;
        }
        case 'return':
          put({ kind: 'return' }, add('return;'));
          return;
        case 'lock':
        case 'unlock': {
          const call = `pthread_mutex_${statement.kind}(&${statement.lock});`;
          put({ kind: statement.kind, lock: statement.lock }, add(call));
          return;
        }
        case 'take':
        case 'drop': {
          const call = `${statement.kind}_${statement.lock}();`;
          put({ kind: statement.kind, lock: statement.lock }, add(call));
          return;
        }
        case 'call': {
          const target = number + 1 + statement.skip;
          if (target < program.length) {
            put({ kind: 'call', target }, add(`${prefix}f${target}();`));
          }
          return;
        }
        case 'if':
        case 'while': {
          const line = add(`${statement.kind} (c) {`);
          const at = put({ kind: 'branch', target: -1 }, line);
          write(statement.body);
          add('}');
          if (statement.kind === 'while') put({ kind: 'jump', target: at }, line);
          steps[at] = { step: { kind: 'branch', target: steps.length }, line };
        }
      }
    };
    add(`void ${prefix}f${number}(void) {`);
    write(statements);
    put({ kind: 'return' }, add('}'));
    return steps;
  });
  for (let n = 0; n < variables; n++) add(`long ${prefix}v${n};`);
  return { functions, lines };
}

export const PRELUDE: readonly string[] = [
  '#include <pthread.h>',
  'static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;',
  'volatile int c;',
  ...['a', 'b'].flatMap((name) => [
    `static void __attribute__((noinline)) take_${name}(void) { pthread_mutex_lock(&${name}); }`,
    `static void __attribute__((noinline)) drop_${name}(void) { pthread_mutex_unlock(&${name}); }`,
  ]),
];

export interface NaiveSection {
  readonly line: number;
  /** Whether on some way all is let go of. */
  readonly ends: boolean;
  readonly leaves: boolean;
  readonly touched: readonly string[];
  readonly nests: 'no' | 'statically' | 'dynamically';
  readonly overlaps: boolean;
}

interface NaiveState {
  readonly stack: readonly (readonly [number, number])[];
  readonly at: readonly [number, number];
  readonly held: HeldId;
}

/** All sections that begin at a lock of the program itself, or at a call of one of the two wrappers. */
export function naiveSections({ functions }: Written): NaiveSection[] {
  return functions.flatMap((steps, number) =>
    steps.flatMap(({ step, line }, place) =>
      (step.kind === 'lock' || step.kind === 'take') && isReached(steps, place)
        ? [explore(functions, [number, place + 1], step.lock, line)]
        : [],
    ),
  );
}

/** What follows a return is not in the compiled program either. */
function isReached(steps: readonly PlacedStep[], wanted: number): boolean {
  const seen = new Set([0]);
  for (const place of seen) {
    const { step } = steps[place]!;
    if (step.kind === 'branch' || step.kind === 'jump') seen.add(step.target);
    if (step.kind !== 'jump' && step.kind !== 'return') seen.add(place + 1);
  }
  return seen.has(wanted);
}

function explore(
  functions: Written['functions'],
  start: readonly [number, number],
  first: string,
  line: number,
): NaiveSection {
  const locks = new HeldLocks();
  const touched = new Set<string>();
  let [ends, leaves, overlaps] = [false, false, false];
  const nested = { here: false, deeper: false };
  const seen = new Set<string>();
  const waiting: NaiveState[] = [{ stack: [], at: start, held: locks.taken(NOTHING_HELD, first)! }];
  const go = (state: NaiveState): void => {
    const key = JSON.stringify(state);
    if (state.held === NOTHING_HELD) ends = true;
    else if (!seen.has(key)) {
      seen.add(key);
      waiting.push(state);
    }
  };
  for (let state = waiting.pop(); state; state = waiting.pop()) {
    const { stack, at, held } = state;
    const [number, place] = at;
    const { step } = functions[number]![place]!;
    const next = { stack, at: [number, place + 1] as const, held };
    switch (step.kind) {
      case 'touch':
        touched.add(step.variable);
        go(next);
        break;
      case 'lock':
      case 'take': {
        const isHere = step.kind === 'lock' && stack.length === 0;
        if (isHere) nested.here = true;
        else nested.deeper = true;
        go({ ...next, held: locks.taken(held, step.lock)! });
        break;
      }
      case 'unlock':
      case 'drop': {
        const list = locks.locks(held);
        if (list.length > 1 && releasedPlace(list, step.lock) === 0) overlaps = true;
        go({ ...next, held: locks.released(held, step.lock) });
        break;
      }
      case 'call':
        go({ stack: [...stack, next.at], at: [step.target, 0], held });
        break;
      case 'branch':
        go(next);
        go({ ...next, at: [number, step.target] });
        break;
      case 'jump':
        go({ ...next, at: [number, step.target] });
        break;
      case 'return':
        if (stack.length === 0) leaves = true;
        else go({ stack: stack.slice(0, -1), at: stack.at(-1)!, held });
    }
  }
  const nests = nested.here ? 'statically' : nested.deeper ? 'dynamically' : 'no';
  return { line, ends, leaves, touched: [...touched].sort(), nests, overlaps };
}
