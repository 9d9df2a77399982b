/** From the places that a traversal has found to the parts of a plan: function by function, what runs inside. */
import type { FunctionFacts } from './function-facts.ts';
import type { ActionFinder } from './inside-actions.ts';
import type { ProgramCode, ProgramFunction, Spot } from './program-code.ts';
import type { InsideAction, SectionPart } from './section-plan.ts';
import type { Traversed } from './traversed.ts';

/** More is not cloned for one section. */
export const MOST_INSTRUCTIONS = 30_000;

export interface SectionParts {
  readonly parts: readonly SectionPart[];
  /** Why it cannot be isolated after all. */
  readonly obstacle: string | undefined;
}

export function sectionParts(
  program: ProgramCode,
  facts: FunctionFacts,
  actions: ActionFinder,
  found: Traversed,
): SectionParts {
  const called = new Map<ProgramFunction, Uint8Array>();
  mark(program, found.calledSpots, called);
  const whole = closureOf(facts, found.whole);
  if (whole === undefined) {
    return { parts: [], obstacle: 'what it calls is more of the program than is worth a copy' };
  }
  for (const one of whole) called.set(one, allOf(one));
  const root = new Map<ProgramFunction, Uint8Array>();
  mark(program, found.rootSpots, root);
  const parts = [
    ...partsOf(root, 'root', actions, found),
    ...partsOf(called, 'called', actions, found),
  ];
  const instructions = parts.reduce((sum, { isInside }) => sum + count(isInside), 0);
  const obstacle =
    instructions > MOST_INSTRUCTIONS
      ? `it is ${instructions} instructions long`
      : obstacleIn(program, whole);
  return { parts, obstacle };
}

const allOf = ({ code }: ProgramFunction): Uint8Array =>
  new Uint8Array(code.instructions.length).fill(1);

const count = (isInside: Uint8Array): number => isInside.reduce((sum, one) => sum + one, 0);

function mark(
  program: ProgramCode,
  spots: Iterable<Spot>,
  into: Map<ProgramFunction, Uint8Array>,
): void {
  for (const spot of spots) {
    const one = program.functionOf(spot);
    const isInside = into.get(one) ?? new Uint8Array(one.code.instructions.length);
    isInside[spot - one.first] = 1;
    into.set(one, isInside);
  }
}

/** With all that they call and jump to; undefined if that is too much. */
function closureOf(
  facts: FunctionFacts,
  functions: ReadonlySet<ProgramFunction>,
): Set<ProgramFunction> | undefined {
  const closure = new Set(functions);
  let instructions = 0;
  for (const one of closure) {
    instructions += one.code.instructions.length;
    if (instructions > MOST_INSTRUCTIONS) return undefined;
    for (const { to, isCall } of facts.calls(one)) {
      if (!isCall || !facts.neverComesBack(to)) closure.add(to);
    }
  }
  return closure;
}

/** Functions that were not gone through place by place. */
function obstacleIn(
  program: ProgramCode,
  functions: ReadonlySet<ProgramFunction>,
): string | undefined {
  for (const { code, first } of functions) {
    for (let spot = first; spot < first + code.instructions.length; spot++) {
      const flow = program.flow(spot);
      if (flow.kind === 'calls' && flow.callee.kind === 'unreadable') {
        const { name, why } = flow.callee;
        return `it calls ${name}, which cannot be taken apart: ${why}`;
      }
    }
  }
  return undefined;
}

const partsOf = (
  insides: ReadonlyMap<ProgramFunction, Uint8Array>,
  frame: SectionPart['frame'],
  actions: ActionFinder,
  found: Traversed,
): SectionPart[] =>
  [...insides].map(([one, isInside]) => {
    const all = new Map<number, InsideAction>();
    for (let place = 0; place < isInside.length; place++) {
      if (isInside[place] === 0) continue;
      const action = actions.actionAt(one, one.first + place, found, frame);
      if (action) all.set(one.code.instructions[place]!.address, action);
    }
    return { code: one.code, frame, isInside, actions: all };
  });
