/** The part of a command's help below its options, as wide as what it is printed on. */
import type { AddHelpTextContext } from 'commander';
import { wrapped } from '../base/display-width.ts';
import { foldedCommand, type HelpBlock, type HelpItem, helpBlocks } from './help-blocks.ts';
import { widthOf } from './terminal-width.ts';

/** Lines that are longer are hard to read. */
const WIDEST = 100;
/** Below that, commander leaves it to the terminal to break lines. */
const NARROWEST = 40;

/** For `Command.configureOutput`. */
export const helpWidths = {
  getOutHelpWidth: (): number => filledWidth(process.stdout),
  getErrHelpWidth: (): number => filledWidth(process.stderr),
};

const filledWidth = (stream: NodeJS.WriteStream): number => Math.min(widthOf(stream), WIDEST);

/** For `Command.usage`: ways to call a command, a line each below `Usage:`. */
export const usages = (command: string, ways: readonly string[]): string =>
  ways.join(`\n${' '.repeat('Usage: '.length)}deadheat ${command} `);

/** For `Command.addHelpText`. */
export function details(text: string): (context: AddHelpTextContext) => string {
  return ({ command, error }) => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    const width = (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? WIDEST;
    return `\n${shownDetails(text, width)}`;
  };
}

export function shownDetails(text: string, width: number): string {
  const blocks = helpBlocks(text);
  return blocks.map((block) => shown(block, Math.max(width, NARROWEST)).join('\n')).join('\n\n');
}

function shown(block: HelpBlock, width: number): string[] {
  if (block.kind === 'prose') return wrapped(block.text, width);
  const { heading, items } = block;
  const explained = items.filter(({ about }) => about !== undefined);
  const column = Math.max(0, ...explained.map(({ term }) => term.length)) + '    '.length;
  const lines = items.flatMap((item) => shownItem(item, column, width - '  '.length));
  return [`${heading}:`, ...lines.map((line) => `  ${line}`)];
}

function shownItem({ term, about }: HelpItem, column: number, width: number): string[] {
  if (about === undefined) return foldedCommand(term, width);
  const room = width - column;
  // Beside it a word each would find room.
  if (room < NARROWEST / 2)
    return [term, ...wrapped(about, width - 4).map((line) => `    ${line}`)];
  const [first = '', ...more] = wrapped(about, room);
  return [`${term.padEnd(column)}${first}`, ...more.map((line) => `${' '.repeat(column)}${line}`)];
}
