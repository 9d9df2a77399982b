/** What binutils say of the same file. */
import { execFileSync } from 'node:child_process';
import { number, toolOutput } from './compiled.ts';

export interface ForeignFrame {
  function: string;
  /** `/home/me/queue.c:12`, with `?` for what is unknown. */
  place: string;
}

/** Where each instruction of the file begins, and whether it only fills the room between functions. */
export function instructions(file: string): { address: number; isPadding: boolean }[] {
  const listing = toolOutput('objdump', '-d', '--no-show-raw-insn', file);
  return Array.from(listing.matchAll(/^\s+([0-9a-f]+):\t(.*)/gm), ([, digits, text]) => ({
    address: number(digits),
    isPadding: /\bnop|xchg +%ax,%ax/.test(text!),
  }));
}

/** For each address its frames, innermost first. */
export function addr2line(file: string, addresses: readonly number[]): ForeignFrame[][] {
  const input = addresses.map((address) => `${address.toString(16)}\n`).join('');
  const output = execFileSync('addr2line', ['-a', '-i', '-f', '-C', '-e', file], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    input,
  });
  return output
    .split(/^0x/m)
    .slice(1)
    .map((group) => framesOf(group.trimEnd().split('\n').slice(1)));
}

/** Pairs of lines: the function, and where. */
function framesOf(lines: readonly string[]): ForeignFrame[] {
  const frames: ForeignFrame[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const place = lines[i + 1]!.replace(/ \(discriminator \d+\)$/, '').replace(/:0$/, ':?');
    frames.push({ function: lines[i]!, place });
  }
  return frames;
}

/** The rows of all line tables, by readelf, which has a decoder of its own: `1139 queue.c:12`. */
export function decodedRows(file: string): { address: number; file: string; line: number }[] {
  const output = toolOutput('readelf', '-W', '--debug-dump=decodedline', file);
  const rows = output.matchAll(/^(\S+)\s+(\d+)\s+0x([0-9a-f]+)(?:\s|$)/gm);
  return Array.from(rows, ([, name, line, address]) => ({
    file: name!,
    line: Number(line),
    address: number(address),
  }));
}
