/**
 * One bug is often many races: two runs of a rule that write, move and read the same file race at
 * each of these steps, and whichever way they are turned, `mv` finds nothing to move. Harmful races
 * that end in the same way are told as one, by the first of them.
 */
import type { Race } from '../../report/model.ts';

/** Harmful races only, the one to tell first. */
export function foldSameEnds(races: readonly Race[]): Race[] {
  const told: { race: Race; words: ReadonlySet<string> }[] = [];
  for (const race of races) {
    const words = wordsOf(race);
    const same = told.find((one) => [...words].some((word) => one.words.has(word)));
    if (!same) told.push({ race, words });
    else {
      const { also = [], occurrences } = same.race;
      same.race = {
        ...same.race,
        also: [...also, `${race.id}: ${race.title}`],
        occurrences: occurrences + race.occurrences,
      };
    }
  }
  return told.map(({ race }) => race);
}

/** The messages; where there are none, the numbers, together with what they are about. */
function wordsOf({ evidence = '', object }: Race): ReadonlySet<string> {
  const lines = evidence.split('\n').filter((line) => !/^([-+ @]|$)/.test(line));
  const messages = lines.filter((line) => !/^exit status \d+/.test(line)).map(complaintOf);
  return new Set(messages.length > 0 ? messages : lines.map((line) => `${line} ${object.name}`));
}

/**
 * Who misses what. At which of its calls a program noticed hangs on the timing, not on the bug:
 *
 *   mv: cannot stat 'new': No such file or directory
 *   mv: cannot move 'new' to 'old': No such file or directory     both: mv: new: No such file or directory
 */
function complaintOf(message: string): string {
  const [, program, file, problem] =
    /^([^:\s]+): [^:'‘"]*['‘"]([^'’"]+)['’"][^:]*: ([^:]+)$/.exec(message) ?? [];
  return file === undefined ? message : `${program}: ${file}: ${problem}`;
}
