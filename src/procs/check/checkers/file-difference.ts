/** How a file differs from what it should be, in a few lines for people. */
import { isUtf8 } from 'node:buffer';
import { printable } from '../../../base/bytes.ts';
import { type FileContent, type FileState, sameContent } from '../file-state.ts';
import { lineDiff } from './line-diff.ts';

/** Of larger files only the beginning is looked at. */
const MOST_BYTES = 1 << 20;
const MOST_LINES = 12;
const LONGEST_LINE = 160;

export function describeDifference(name: string, expected: FileState, found: FileState): string {
  if (found.kind === 'absent') return `${name} is missing`;
  if (expected.kind === 'absent') return `${name} is there: ${nounOf(found)}`;
  if (expected.kind !== found.kind || expected.kind === 'link' || found.kind === 'link') {
    return `${name} is ${nounOf(found)} instead of ${nounOf(expected)}`;
  }
  if (found.kind === 'file' && expected.kind === 'file') {
    const isSame = found.size === expected.size && sameContent(found.content, expected.content);
    if (!isSame) return contentDifference(name, expected.content, found.content);
  }
  if (found.mode !== expected.mode) {
    return `${name} has mode ${found.mode.toString(8)} instead of ${expected.mode.toString(8)}`;
  }
  return found.owner !== expected.owner
    ? `${name} has owner ${found.owner} instead of ${expected.owner}`
    : `${name} is another device`;
}

function nounOf(state: FileState): string {
  switch (state.kind) {
    case 'file':
      return `a file of ${state.size} bytes`;
    case 'link':
      return `a link to ${printable(state.target)}`;
    default:
      return `a ${state.kind}`;
  }
}

function contentDifference(name: string, expected: FileContent, found: FileContent): string {
  const [before, after] = [expected, found].map((content) => textOf(content));
  if (before === undefined || after === undefined) return `binary files ${name} differ`;
  const lines = lineDiff(linesIn(before), linesIn(after));
  if (lines.length === 0) return `${name} differs at its end`;
  const shown = lines.slice(0, MOST_LINES).map((line) => printable(line).slice(0, LONGEST_LINE));
  return [...shown, ...(lines.length > MOST_LINES ? ['…'] : [])].join('\n');
}

const linesIn = (text: string): string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

function textOf(content: FileContent): string | undefined {
  const head = content.head(MOST_BYTES);
  if (head === undefined || head.includes(0)) return undefined;
  // The last letter of a beginning may be cut in two.
  const whole = head.length < MOST_BYTES ? head : head.subarray(0, head.lastIndexOf(0x0a) + 1);
  return isUtf8(whole) ? whole.toString('utf8') : undefined;
}
