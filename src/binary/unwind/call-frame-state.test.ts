import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseElf } from '../elf/elf-file.ts';
import { compiled, number, toolOutput } from '../testdata/compiled.ts';
import { type CallFrameState, callFrameAt, type FrameRule } from './call-frame-state.ts';
import { readEhFrame } from './eh-frame.ts';

/** As readelf calls them. */
const NAMES = [
  ...['rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp'],
  ...['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'ra'],
];

interface ShownRow {
  readonly start: number;
  readonly address: number;
  readonly text: string;
}

/** `0x1020 rsp+16 rbp c-16 ra c-8`, for each row of each function; what a column says nothing of is left out. */
function shownRows(path: string): ShownRow[] {
  const rows: ShownRow[] = [];
  let start = Number.NaN;
  let columns: string[] = [];
  for (const line of toolOutput('readelf', '--debug-dump=frames-interp', path).split('\n')) {
    const words = line.trim().split(/\s+/);
    const range = /pc=([0-9a-f]+)\.\./.exec(line);
    if (range) start = number(range[1]);
    else if (/ CIE /.test(line)) start = Number.NaN;
    else if (words[0] === 'LOC') columns = words.slice(2);
    else if (/^[0-9a-f]{16} /.test(line) && !Number.isNaN(start)) {
      const rules = columns.flatMap((name, i) => {
        const rule = words[2 + i] ?? 'u';
        return rule === 'u' ? [] : [`${name} ${rule}`];
      });
      const address = number(words[0]);
      rows.push({ start, address, text: [words[1], ...rules].join(' ') });
    }
  }
  return rows;
}

const signed = (value: number): string => (value < 0 ? `${value}` : `+${value}`);

function frameText(frame: FrameRule): string {
  if (frame === undefined) return '?';
  return 'expression' in frame ? 'exp' : `${NAMES[frame.register]}${signed(frame.offset)}`;
}

function asShown({ frame, rules }: CallFrameState): string {
  const texts = [...rules]
    .sort(([a], [b]) => a - b)
    .flatMap(([register, rule]) => {
      const name = NAMES[register];
      switch (rule.kind) {
        case 'unknown':
          return [];
        case 'same':
          return [`${name} s`];
        case 'at-offset':
          return [`${name} c${signed(rule.offset)}`];
        case 'value-offset':
          return [`${name} v${signed(rule.offset)}`];
        case 'register':
          return [`${name} ${NAMES[rule.register]}`];
        case 'at-expression':
          return [`${name} exp`];
        case 'value-expression':
          return [`${name} vexp`];
      }
      return [];
    });
  return [frameText(frame), ...texts].join(' ');
}

/** Rows that differ from what readelf shows, as far as their functions are known. */
function differences(path: string): { rows: number; different: string[] } {
  const { fdes } = readEhFrame(parseElf(readFileSync(path)));
  const byStart = new Map(fdes.map((fde) => [fde.start as number, fde]));
  const shown = shownRows(path);
  // Rows of one address come one after the other: the last one counts.
  const last = shown.filter(
    (row, i) => shown[i + 1]?.address !== row.address || shown[i + 1]?.start !== row.start,
  );
  const different = last.flatMap(({ start, address, text }) => {
    const fde = byStart.get(start);
    if (fde === undefined || address >= fde.end) return [];
    const own = asShown(callFrameAt(fde, address));
    return own === text ? [] : [`0x${address.toString(16)}: ${own}, not ${text}`];
  });
  return { rows: last.length, different: different.slice(0, 10) };
}

describe('where callers have their registers', () => {
  it.each(['/bin/bash', '/usr/bin/git', 'libstdc++.so.6'])(
    'in %s is as readelf shows it',
    (name) => {
      const path = name.startsWith('/')
        ? name
        : toolOutput('gcc', `-print-file-name=${name}`).trim();
      if (!existsSync(path)) return console.log(`skipped: there is no ${path}`);
      const { rows, different } = differences(path);
      expect(rows).toBeGreaterThan(5000);
      expect(different).toEqual([]);
    },
  );

  it('in a program of our own is so, too', () => {
    const { rows, different } = differences(compiled('exceptions.cc', '-std=c++14', '-w', '-O2'));
    expect(rows).toBeGreaterThan(20);
    expect(different).toEqual([]);
  });
});
