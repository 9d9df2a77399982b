/**
 * Titles of races for a list, a line each, however narrow the terminal. Places stand at the end of a title, and what is
 * fought over at its beginning: what is cut out is the middle.
 *
 *   main writes hits at a.c:24 while…        main writes hits…it at a.c:31
 *
 * If that leaves different titles alike, what all of them begin with is left out first: `…a.c:24 while ma…it at a.c:31`.
 */
import { cutInside } from '../base/display-width.ts';

export function listTitles(titles: readonly string[], room: number): string[] {
  const whole = titles.map((title) => cutInside(title, room));
  if (new Set(whole).size === new Set(titles).size) return whole;
  const common = commonBeginning(titles);
  if (common === 0) return whole;
  return titles.map((title) => cutInside(`…${title.slice(common)}`, room));
}

/** How long it is, up to the end of a word. */
function commonBeginning([first = '', ...others]: readonly string[]): number {
  let length = 0;
  while (length < first.length && others.every((one) => one[length] === first[length])) length++;
  return first.lastIndexOf(' ', length - 1) + 1;
}
