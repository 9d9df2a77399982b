/**
 * What is told of a program's critical sections, as text: ToleRace's table 6, and then section by section whether
 * it is isolated, and if not, why.
 *
 *   critical sections of bank   3
 *     isolated                  2
 *     statically nested         1
 *     …
 *
 *    1  deposit (bank.c:12), under balance_lock: isolated, at most 2 words
 *    2  audit (bank.c:30), under balance_lock: not isolated: it calls longjmp, which jumps out of functions
 */
import type { SectionFacts, SectionPlan } from './sections/section-plan.ts';

/** Where an address is in the source: `deposit (bank.c:12)`. */
export type DescribePlace = (address: number) => string;

interface Row {
  readonly title: string;
  readonly counts: (plan: SectionPlan) => boolean;
}

const of = (title: string, holds: (facts: SectionFacts) => boolean): Row => ({
  title,
  counts: ({ facts }) => holds(facts),
});

const ROWS: readonly Row[] = [
  { title: 'isolated', counts: ({ verdict }) => verdict.isolate },
  of('statically nested', ({ nests }) => nests === 'statically'),
  of('dynamically nested', ({ nests }) => nests === 'dynamically'),
  of('overlapped', ({ overlaps }) => overlaps),
  of('condition variables', ({ waits }) => waits),
  of('library calls', ({ libraryCalls }) => libraryCalls.length > 0),
  of('indirect calls', ({ computedCalls }) => computedCalls > 0),
  of('shared memory in loops', ({ touchesInLoops }) => touchesInLoops),
  of('own functions', ({ ownCalls }) => ownCalls.length > 0),
];

export function explainSections(
  program: string,
  plans: readonly SectionPlan[],
  describe: DescribePlace,
): string {
  const table: [string, number][] = [
    [`critical sections of ${program}`, plans.length],
    ...ROWS.map(({ title, counts }): [string, number] => [
      `  ${title}`,
      plans.filter(counts).length,
    ]),
  ];
  const lines = plans.map((plan) => sectionLine(plan, `${plans.length}`.length, describe));
  return `${[...aligned(table), ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')}\n`;
}

function aligned(rows: readonly (readonly [string, number])[]): string[] {
  const [titles, digits] = [
    Math.max(...rows.map(([title]) => title.length)),
    Math.max(...rows.map(([, count]) => `${count}`.length)),
  ];
  return rows.map(([title, count]) => `${title.padEnd(titles)}  ${`${count}`.padStart(digits)}`);
}

function sectionLine(plan: SectionPlan, width: number, describe: DescribePlace): string {
  const { number, entry, verdict, facts } = plan;
  const by = entry.wrapper === undefined ? '' : ` by ${entry.wrapper}`;
  const lock = entry.lock === '?' ? `a ${entry.kind}` : entry.lock;
  const place = `${`${number}`.padStart(width + 1)}  ${describe(entry.address)}, under ${lock}${by}`;
  return verdict.isolate
    ? `${place}: isolated, ${footprint(facts)}${further(facts)}`
    : `${place}: not isolated: ${verdict.reason}`;
}

function footprint({ mostWords, candidates, touchesInLoops, memoryCalls }: SectionFacts): string {
  if (touchesInLoops) return 'touches memory in loops';
  if (mostWords === undefined) return `touches memory by ${named(memoryCalls)}`;
  if (candidates === 0) return 'touches nothing that others see';
  return `at most ${mostWords} word${mostWords === 1 ? '' : 's'}`;
}

/** What makes its isolation less than complete. */
function further(facts: SectionFacts): string {
  const others = facts.libraryCalls.filter((name) => !facts.memoryCalls.includes(name));
  const remarks = [
    ...(facts.waits ? ['waits for a condition'] : []),
    ...(facts.computedCalls > 0 ? ['open during calls through pointers'] : []),
    ...(others.length > 0 ? [`open during ${named(others)}`] : []),
    ...(facts.leaves ? ['open from a computed jump on, or where it is left with the lock'] : []),
  ];
  return remarks.length === 0 ? '' : `; ${remarks.join('; ')}`;
}

/** More are not named. */
const MOST_NAMED = 4;

function named(names: readonly string[]): string {
  const [first, rest] = [names.slice(0, MOST_NAMED), names.length - MOST_NAMED];
  return first.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** As data, for --json. */
export const explainedSections = (plans: readonly SectionPlan[], describe: DescribePlace) =>
  plans.map(({ number, entry, verdict, facts }) => ({
    number,
    place: describe(entry.address),
    address: `0x${entry.address.toString(16)}`,
    kind: entry.kind,
    lock: entry.lock,
    ...(entry.wrapper !== undefined && { wrapper: entry.wrapper }),
    ...verdict,
    facts,
  }));
