import { expect, it } from 'vitest';
import type { Access, Report } from '../model.ts';
import { sourceExcerpts } from './source-excerpts.ts';

const at = (file: string, line: number): Access => ({
  ...{ process: 'p', pid: 1, thread: 1, op: 'read', what: '' },
  ...{ site: { file, line }, stack: [] },
});

const reportOf = (...accesses: Access[]): Report => ({
  ...{
    schema: 1,
    tool: 'deadheat',
    version: '0',
    engine: 'threads',
    command: [],
    run: 'threads-1',
  },
  ...{ stats: {} },
  races: [
    {
      ...{ id: 'R1', kind: 'data-race', verdict: 'predicted', title: '', occurrences: 1, accesses },
      object: { type: 'memory', name: 'x' },
    },
  ],
});

const FORTY = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n');
const read = (path: string) => (path === '/a.c' ? { text: FORTY, isNewer: false } : undefined);

it('has the lines around each place, those that overlap only once', () => {
  const excerpts = sourceExcerpts(reportOf(at('/a.c', 12), at('/a.c', 10), at('/a.c', 40)), read);
  const pieces = excerpts['/a.c']!.pieces.map(({ from, lines }) => [from, lines[0], lines.length]);
  expect(pieces).toEqual([
    [4, 'line 4', 15],
    [34, 'line 34', 7],
  ]);
});

it('has nothing of files that cannot be read, and of lines that are not there', () => {
  expect(sourceExcerpts(reportOf(at('/b.c', 1), at('/a.c', 41)), read)).toEqual({});
});

it('says that a file was changed since', () => {
  const newer = () => ({ text: 'x', isNewer: true });
  expect(sourceExcerpts(reportOf(at('/a.c', 1), at('/a.c', 1)), newer)['/a.c']?.isNewer).toBe(true);
});
