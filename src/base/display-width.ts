/**
 * How much room text takes on a terminal, and how it is broken into lines. A letter is not a column: `日` takes two,
 * an emoji too, an accent that follows its letter none.
 *
 *   displayWidth('héllo')              5, also when the accent is a character of its own
 *   wrapped('make: *** Error 2', 10)   ['make: ***', 'Error 2']
 *
 * Terminals disagree about rare characters; then a line is a column too long or too short.
 */

const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** First and last of each range that Unicode calls wide, as East Asian Width has them; rare scripts are left out. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

export function displayWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return width;
}

function letterWidth(letter: string): number {
  const code = letter.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (NOTHING.test(letter)) return 0;
  if (WIDE.some(([first, last]) => first <= code && code <= last)) return 2;
  return /\p{Emoji_Presentation}/u.test(letter) ? 2 : 1;
}

/** What is too long ends in an ellipsis. */
export function cut(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${beginning(text, Math.max(0, width - 1))}…`;
}

/** What is too long lacks its middle: `worker writes … it at pool.c:31`. */
export function cutInside(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const room = Math.max(0, width - 1);
  const end = ending(text, Math.ceil(room / 2));
  return `${beginning(text, room - displayWidth(end))}…${end}`;
}

/**
 * Broken where words end, and not within `code like this`, if there is another place; a word that is longer than a
 * line, wherever the line ends. What follows is indented.
 */
export function wrapped(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let rest = text;
  const room = Math.max(2, width);
  for (let start = ''; ; start = indent.length < room / 2 ? indent : '') {
    const line = beginning(start + rest, room);
    if (line.length === start.length + rest.length) return [...lines, line];
    const end = breakIn(start + rest, line.length);
    lines.push((start + rest).slice(0, end).trimEnd());
    rest = (start + rest).slice(end).trimStart();
    if (rest === '') return lines;
  }
}

/** At the last space up to there that does not stand before the first word. */
function breakIn(text: string, most: number): number {
  const first = /\S/.exec(text)?.index ?? 0;
  const spaces: number[] = [];
  for (let at = first + 1; at <= most; at++) if (text[at] === ' ') spaces.push(at);
  const isOutsideOfCode = (at: number): boolean => text.slice(0, at).split('`').length % 2 === 1;
  return spaces.findLast(isOutsideOfCode) ?? spaces.at(-1) ?? most;
}

export const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

function beginning(text: string, width: number): string {
  let used = 0;
  let end = 0;
  for (const letter of text) {
    used += letterWidth(letter);
    if (used > width) break;
    end += letter.length;
  }
  return text.slice(0, end);
}

/** An accent that has lost its letter is left out with it. */
function ending(text: string, width: number): string {
  let used = 0;
  let start = text.length;
  let end = text.length;
  for (const letter of [...text].reverse()) {
    used += letterWidth(letter);
    if (used > width) break;
    end -= letter.length;
    if (letterWidth(letter) > 0) start = end;
  }
  return text.slice(start);
}
