/**
 * What a command's help says below its options, taken apart, so that the help can be as wide as the terminal and the
 * manual page as troff wants it. Texts are written as they look: paragraphs, and headings with indented lines, which
 * may explain something in a second column.
 *
 *   Exits with 66 if a race was caught.         { kind: 'prose', text: 'Exits with …' }
 *
 *   Examples:                                   { kind: 'list', heading: 'Examples', items: [
 *     deadheat watch -- ./server                    { term: 'deadheat watch -- ./server' },
 *     deadheat watch --pid 4711    a server         { term: 'deadheat watch --pid 4711', about: 'a server' }] }
 */

export interface HelpItem {
  readonly term: string;
  readonly about?: string;
}

export type HelpBlock =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'list'; readonly heading: string; readonly items: readonly HelpItem[] };

export function helpBlocks(text: string): HelpBlock[] {
  const parts = text.trim().split(/\n\s*\n/);
  return parts.map((part): HelpBlock => {
    const [first = '', ...lines] = part.split('\n');
    const isList = lines.length > 0 && lines.every((line) => line.startsWith('  '));
    return isList
      ? { kind: 'list', heading: first.replace(/:$/, ''), items: lines.map(item) }
      : { kind: 'prose', text: part.replaceAll('\n', ' ') };
  });
}

function item(line: string): HelpItem {
  const [, term = '', about] = /^ +(.*?)(?: {3,}(.*))?$/.exec(line) ?? [];
  return about === undefined ? { term } : { term, about };
}

/**
 * A command in several lines that can still be copied, if it is wider than that. It is broken before long options
 * only, and what is quoted stays whole.
 *
 *   foldedCommand("deadheat watch --qemu --workload 'a -b'", 30)
 *     deadheat watch --qemu \
 *         --workload 'a -b'
 */
export function foldedCommand(command: string, width: number): string[] {
  const lines: string[] = [];
  let rest = command;
  while (rest.length > width) {
    const at = breakBefore(rest, width - ' \\'.length);
    if (at === undefined) break;
    lines.push(`${rest.slice(0, at)} \\`);
    rest = `    ${rest.slice(at + 1)}`;
  }
  return [...lines, rest];
}

function breakBefore(command: string, width: number): number | undefined {
  const places = [...command.matchAll(/(?<=\S) (?=--[\w ])/g)].map(({ index }) => index);
  const isQuoted = (at: number): boolean => command.slice(0, at).split(/['"]/).length % 2 === 0;
  return places.filter((at) => at <= width && !isQuoted(at)).at(-1);
}
