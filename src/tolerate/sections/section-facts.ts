/**
 * What people want to know of a section (ToleRace, table 6), and what decides how its copies are kept: if nothing
 * that others may see is touched in a loop, no more words are touched than instructions say.
 */
import { FlowControl } from 'iced-x86';
import { placesInLoops } from './loops.ts';
import type { ProgramCode } from './program-code.ts';
import type { InsideAction, SectionFacts, SectionPart } from './section-plan.ts';
import type { Traversed } from './traversed.ts';

const WORD = 8;

export function sectionFacts(
  program: ProgramCode,
  parts: readonly SectionPart[],
  found: Traversed,
): SectionFacts {
  const libraryCalls = new Set<string>();
  const memoryCalls = new Set<string>();
  const ownCalls = new Set<string>();
  let computedCalls = 0;
  let candidates = 0;
  let instructions = 0;
  for (const { code, isInside, actions } of parts) {
    for (const [place, instruction] of code.instructions.entries()) {
      if (isInside[place] === 0) continue;
      instructions++;
      const action = actions.get(instruction.address);
      if (action === undefined) continue;
      if (touches(action)) candidates++;
      if (action.kind === 'call') ownCalls.add(nameAt(program, action.target));
      else if (isOfCall(action)) {
        const name = program.importOf(instruction);
        if (name === undefined) computedCalls++;
        else libraryCalls.add(name);
        if (action.kind === 'memory call') memoryCalls.add(action.name);
      }
    }
  }
  const words = new WordCount(program, parts);
  return {
    libraryCalls: [...libraryCalls].sort(),
    memoryCalls: [...memoryCalls].sort(),
    computedCalls,
    ownCalls: [...ownCalls].sort(),
    touchesInLoops: words.touchesInLoops,
    waits: parts.some(({ actions }) => [...actions.values()].some(({ kind }) => kind === 'wait')),
    nests: found.nests ?? 'no',
    overlaps: found.overlaps,
    leaves: found.leaves.size > 0 || parts.some((part) => hasSwitch(program, part)),
    candidates,
    mostWords: memoryCalls.size > 0 ? undefined : words.most,
    instructions,
  };
}

/** Where a computed jump leads is only known in the original, so the first frame's clone is left there. */
const hasSwitch = (program: ProgramCode, { code, frame, isInside }: SectionPart): boolean =>
  frame === 'root' &&
  code.instructions.some(
    ({ flow, address }, place) =>
      isInside[place] === 1 &&
      flow === FlowControl.IndirectBranch &&
      program.flow(program.spotAt(address)!).kind === 'goes',
  );

/** Memory that others may see, by the instruction itself. */
const touches = (action: InsideAction): boolean =>
  action.kind === 'redirect' || (action.kind === 'commit' && TOUCHING_COMMITS.has(action.why));

const TOUCHING_COMMITS: ReadonlySet<string> = new Set(['atomic', 'string', 'wide', 'spin']);

const isOfCall = (action: InsideAction): boolean =>
  action.kind === 'memory call' ||
  (action.kind === 'commit' && (action.why === 'library' || action.why === 'computed call'));

function nameAt(program: ProgramCode, address: number): string {
  const spot = program.spotAt(address);
  return spot === undefined ? `0x${address.toString(16)}` : program.functionOf(spot).code.name;
}

/** Goes down the calls of a section, which may meet a function again: then nobody can say how often. */
class WordCount {
  readonly #program: ProgramCode;
  /** By the function's start; each that is called. */
  readonly #called: ReadonlyMap<number, SectionPart>;
  readonly #counts = new Map<SectionPart, number>();
  readonly #open = new Set<SectionPart>();
  touchesInLoops = false;
  readonly most: number | undefined;

  constructor(program: ProgramCode, parts: readonly SectionPart[]) {
    this.#program = program;
    const called = parts.filter(({ frame }) => frame === 'called');
    this.#called = new Map(called.map((part) => [part.code.start, part]));
    // Those that are jumped to are met by nobody's calls.
    const sum = parts.reduce(
      (total, part) => total + (part.frame === 'root' ? this.#wordsOf(part) : 0),
      0,
    );
    for (const part of called) if (!this.#counts.has(part)) this.#wordsOf(part);
    this.most = this.touchesInLoops ? undefined : sum;
  }

  #wordsOf(part: SectionPart): number {
    const known = this.#counts.get(part);
    if (known !== undefined) return known;
    if (this.#open.has(part)) {
      if (this.#touchesAnything(part)) this.touchesInLoops = true;
      return 0;
    }
    this.#open.add(part);
    const { code, isInside, actions } = part;
    const inLoops = placesInLoops(code, isInside, (place) => this.#targetsOf(part, place));
    let sum = 0;
    for (const [address, action] of actions) {
      const place = code.places.get(address)!;
      const words = this.#wordsAt(part, place, action);
      if (words > 0 && inLoops[place] === 1) this.touchesInLoops = true;
      sum += words;
    }
    sum += this.#jumpedTo(part);
    this.#open.delete(part);
    this.#counts.set(part, sum);
    return sum;
  }

  #wordsAt({ code }: SectionPart, place: number, action: InsideAction): number {
    if (action.kind === 'redirect') {
      const { memory } = code.instructions[place]!;
      return action.operands.reduce((sum, index) => sum + Math.ceil(memory[index]!.size / WORD), 0);
    }
    if (action.kind !== 'call') return 0;
    const callee = this.#called.get(action.target);
    return callee ? this.#wordsOf(callee) : 0;
  }

  /** Of a called function: the rest of it elsewhere (f.cold), and what it ends with. */
  #jumpedTo({ code, isInside, frame }: SectionPart): number {
    if (frame === 'root') return 0;
    let sum = 0;
    const targets = new Set<SectionPart>();
    for (const [place, { target }] of code.instructions.entries()) {
      if (isInside[place] === 0 || code.places.has(target)) continue;
      const spot = this.#program.spotAt(target);
      const part = spot === undefined ? undefined : this.#partOf(spot);
      if (part) targets.add(part);
    }
    for (const part of targets) sum += this.#wordsOf(part);
    return sum;
  }

  #partOf(spot: number): SectionPart | undefined {
    return this.#called.get(this.#program.functionOf(spot).code.start);
  }

  #targetsOf({ code }: SectionPart, place: number): number[] {
    const spot = this.#program.spotAt(code.instructions[place]!.address)!;
    const flow = this.#program.flow(spot);
    return flow.kind === 'goes' ? flow.to.map((to) => to - (spot - place)) : [];
  }

  #touchesAnything(part: SectionPart): boolean {
    return [...part.actions.values()].some(touches);
  }
}
