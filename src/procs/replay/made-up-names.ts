/**
 * Names that a program makes up anew each time, from the clock or from where its stack is:
 *
 *   recorded   mkdir("/tmp/tmp.rrS3iZJdIC")  …  openat("/tmp/tmp.rrS3iZJdIC/a")
 *   now        mkdir("/tmp/tmp.pty4Ybeaur")  …  openat("/tmp/tmp.pty4Ybeaur/a")
 *
 * When two such names first meet, they are taken for the same thing from then on. They must be
 * equally long, and look made up: `part1` and `part2` are two different files. Only large numbers may have
 * one or two digits less on another day, such as the microseconds of the clock in tcsh's `.vm.d5e88` and
 * `.vm.125b`.
 */

const SHORTEST = 5;
const FEWEST_DIFFERENCES = 3;
const MOST_MISSING_DIGITS = 2;

export class MadeUpNames {
  /** The recorded name by the one of today. */
  readonly #recorded = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Whether these are the same path, but for made-up names in it. */
  areSame(recorded: string, now: string): boolean {
    if (recorded === now) return true;
    const parts = recorded.split('/');
    const partsNow = now.split('/');
    if (parts.length !== partsNow.length) return false;
    const pairs = parts.map((part, index) => [part, partsNow[index]!] as const);
    if (!pairs.every(([then, today]) => this.#isKnown(then, today) || this.#mayBe(then, today))) {
      return false;
    }
    for (const [then, today] of pairs) if (then !== today) this.#learn(then, today);
    return true;
  }

  #isKnown(recorded: string, now: string): boolean {
    return recorded === now || this.#recorded.get(now) === recorded;
  }

  #mayBe(recorded: string, now: string): boolean {
    return !this.#recorded.has(now) && !this.#taken.has(recorded) && looksMadeUp(recorded, now);
  }

  #learn(recorded: string, now: string): void {
    this.#recorded.set(now, recorded);
    this.#taken.add(recorded);
  }
}

function looksMadeUp(recorded: string, now: string): boolean {
  if (recorded.length !== now.length) return areLargeNumbers(recorded, now);
  const differs = [...recorded].map((letter, index) => letter !== now[index]);
  // To the ends of the word: a letter at its edge may be the same by chance.
  const isLetter = (index: number): boolean => /\w/.test(recorded[index] ?? '.');
  let from = differs.indexOf(true);
  let to = differs.lastIndexOf(true) + 1;
  while (isLetter(from - 1)) from--;
  while (isLetter(to)) to++;
  const isWord = [recorded, now].every((name) => /^[\w-]+$/.test(name.slice(from, to)));
  return isWord && to - from >= SHORTEST && differs.filter(Boolean).length >= FEWEST_DIFFERENCES;
}

/** Whether they are the same but for a word, which is a number in both, hexadecimal perhaps. */
function areLargeNumbers(recorded: string, now: string): boolean {
  const words = recorded.split(/(\W+)/);
  const wordsNow = now.split(/(\W+)/);
  const different = words.flatMap((word, at) => (word === wordsNow[at] ? [] : [at]));
  const [at] = different;
  if (at === undefined || different.length > 1 || words.length !== wordsNow.length) return false;
  const numbers = [words[at]!, wordsNow[at]!];
  const [shorter, longer] = numbers.map(({ length }) => length).sort((a, b) => a - b) as [
    number,
    number,
  ];
  const areNumbers = numbers.every((word) => /^(?=.*\d)[\da-f]+$/.test(word));
  return areNumbers && longer >= SHORTEST && longer - shorter <= MOST_MISSING_DIGITS;
}
