/**
 * The theory by brute force: what threads read, and what memory has in the end, for any order of their accesses.
 * Values are symbolic: each write writes a value of its own, which says whose it is and what its thread has read
 * before, so that two outcomes are the same only if nobody could tell them apart.
 *
 *   outcomeOf([R of T1, w of T2, W of T1])     // T1 read 'initial', memory has 'T1#1(initial)'
 */
import type { Access } from '../access-shapes.ts';

export interface Step {
  readonly thread: string;
  readonly access: Access;
  readonly variable: string;
  /** Its place in its thread. */
  readonly number: number;
}

export function steps(
  thread: string,
  accesses: readonly (readonly [Access, string])[],
): readonly Step[] {
  return accesses.map(([access, variable], number) => ({ thread, access, variable, number }));
}

/** Who has the lock runs on private copies; undefined for nobody. */
export interface Isolation {
  readonly thread: string;
  /** What a variable gets in the end. */
  readonly resolve: (variable: string) => 'own' | 'current';
}

/**
 * Who read what, and what memory has in the end, as one text.
 * What a write hangs on is what its thread has read in steps with smaller numbers, in whatever order they ran.
 */
export function outcomeOf(order: readonly Step[], isolation?: Isolation): string {
  const memory = new Map<string, string>();
  const copies = new Map<string, string>();
  const read = new Map<string, string>();
  const readBefore = ({ thread, number }: Step): string => {
    const values: string[] = [];
    for (let n = 0; n < number; n++) values.push(read.get(`${thread}#${n}`) ?? '');
    return values.filter((value) => value !== '').join(',');
  };
  for (const step of order) {
    const { thread, access, variable, number } = step;
    const isPrivate = thread === isolation?.thread;
    if (isPrivate && !copies.has(variable)) {
      copies.set(variable, memory.get(variable) ?? 'initial');
    }
    const place = isPrivate ? copies : memory;
    if (access === 'r') read.set(`${thread}#${number}`, place.get(variable) ?? 'initial');
    else place.set(variable, `${thread}#${number}(${readBefore(step)})`);
  }
  for (const [variable, value] of copies) {
    if (isolation!.resolve(variable) === 'own') memory.set(variable, value);
  }
  const sorted = (entries: Map<string, string>): string =>
    [...entries]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(' ');
  return `${sorted(read)} | ${sorted(memory)}`;
}

/** All sequences of up to so many accesses, but for the empty one. */
export function* accessSequences(longest: number): Generator<readonly Access[]> {
  let last: (readonly Access[])[] = [[]];
  for (let length = 1; length <= longest; length++) {
    last = last.flatMap((one) => [
      [...one, 'r' as const],
      [...one, 'w' as const],
    ]);
    yield* last;
  }
}

/** All orders of these steps that a condition on two of them allows: whether the first must stay first. */
export function* allowedOrders(
  sequence: readonly Step[],
  mustPrecede: (first: Step, second: Step) => boolean,
): Generator<readonly Step[]> {
  if (sequence.length === 0) yield [];
  for (const [place, step] of sequence.entries()) {
    if (sequence.slice(0, place).some((earlier) => mustPrecede(earlier, step))) continue;
    const rest = sequence.filter((other) => other !== step);
    for (const order of allowedOrders(rest, mustPrecede)) yield [step, ...order];
  }
}
