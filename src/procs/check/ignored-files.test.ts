import { expect, it } from 'vitest';
import { ignoredFiles } from './ignored-files.ts';

const isIgnored = (pattern: string, path: string): boolean =>
  ignoredFiles([pattern], '/home/me').has(path);

it.each([
  ['*.log', '/var/x/a.log', true],
  ['*.log', '/var/x/a.logs', false],
  ['build/**', '/home/me/build/a/b.o', true],
  ['build/**', '/home/you/build/a', false],
  ['build/', '/home/me/src/build/a', true],
  ['./build/*.o', '/home/me/build/a.o', true],
  ['build/*.o', '/home/me/build/deep/a.o', false],
  ['build/**/*.o', '/home/me/build/deep/er/a.o', true],
  ['build/**/*.o', '/home/me/build/a.o', true],
  ['/var/cache', '/var/cache/x/y', true],
  ['/var/cache', '/var/cached', false],
  ['**/obj/*', '/a/b/obj/c', true],
  ['a?c.{txt,md}', '/x/abc.md', true],
  ['a?c.{txt,md}', '/x/abc.mdx', false],
  ['[!a-c]+.txt', '/x/d+.txt', true],
  ['[!a-c]+.txt', '/x/a+.txt', false],
  ['a.b', '/x/aXb', false],
])('%s and %s: %s', (pattern, path, expected) => {
  expect(isIgnored(pattern, path)).toBe(expected);
});

it("leaves out deadheat's own files without being told", () => {
  expect(ignoredFiles([], '/').has('/a/.deadheat/procs-1/run.json')).toBe(true);
  expect(ignoredFiles([], '/').has('/a/deadheat')).toBe(false);
});

it('says so if a pattern is none', () => {
  expect(() => ignoredFiles(['[z-a]'], '/')).toThrow("'[z-a]' is not a pattern");
});
