import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTENTS, chosenBy, contentsWith } from './contents.ts';

const FILES = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3));

const chosen = (line: string) => chosenBy(line === '' ? [] : line.split(' '), CONTENTS);
const names = (line: string): readonly string[] | undefined =>
  chosen(line)?.map(({ name }) => name);

const LISTED = chosen('')!.map(({ file }) => file);

describe('the contents of the benchmarks', () => {
  it('have files that can be run', () => {
    for (const { name, file } of chosenBy([], contentsWith(FILES))!) {
      if (!LISTED.includes(file)) continue;
      const text = readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8');
      expect(text, name).toMatch(/^export (async )?function run\(/m);
    }
  });

  it('leave out what is long, unless it is asked for by its name', () => {
    expect(names('')).toContain('record');
    expect(names('')).not.toContain('rounds');
    expect(names('procs')).not.toContain('rounds');
    expect(names('rounds')).toEqual(['rounds']);
    expect(names('sample breakdown')).toEqual(['sample breakdown']);
  });

  it('are chosen by engine, by name, and several at once', () => {
    expect(names('threads')).toEqual(['tracing', 'scenarios', 'predict', 'thread-trace']);
    expect(names('detect html')).toEqual(['detect', 'html']);
    expect(names('watch')).toContain('watch caught');
    expect(names('nonsense')).toBeUndefined();
  });

  it('leave it to a benchmark which of its rows are meant', () => {
    expect(chosen('record make eBPF')).toMatchObject([
      { file: 'record', words: ['make', 'eBPF'], isKept: false },
    ]);
    expect(chosen('sample slowdown 3')).toMatchObject([
      { file: 'sample', words: ['slowdown', '3'], isKept: false },
    ]);
    const ofSeveralWords = ['sample slowdown', 'small server', '3'];
    expect(chosenBy(ofSeveralWords, CONTENTS)).toMatchObject([
      { file: 'sample', words: ['slowdown', 'small server', '3'], isKept: false },
    ]);
    const { about } = chosen('tolerate programs')![0]!;
    expect(chosen('tolerate programs 3')).toMatchObject([{ about, isKept: false }]);
  });

  it('are shorter when they are some of many', () => {
    const words = (line: string) =>
      chosen(line)!.find(({ name }) => name === 'sample caught')!.words;
    expect(words('sample caught')).toEqual(['caught']);
    for (const line of ['sample', '']) expect(words(line)).toEqual(['caught', '3']);
  });

  it('have everything that is there, listed or not', () => {
    const found = contentsWith([...LISTED, 'watch-new', 'brand-new']);
    const chapter = (name: string) =>
      found.find((one) => one.name === name)!.benchmarks.map((one) => one.name);
    expect(chapter('watch')).toContain('watch-new');
    expect(chapter('report')).toContain('brand-new');
    expect(contentsWith(['html']).flatMap(({ benchmarks }) => benchmarks)).toHaveLength(1);
  });
});
