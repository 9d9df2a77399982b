import { expect, it } from 'vitest';
import { SourceFiles } from './source-files.ts';

const path = (folders: string[], name: string, folder: number): string | undefined =>
  new SourceFiles(folders, [{ name, folder }]).path(0);

it('paths are as absolute as the tables allow', () => {
  expect(path(['/home/me', 'src', '/usr/include'], 'a.c', 1)).toBe('/home/me/src/a.c');
  expect(path(['/home/me', 'src', '/usr/include'], 'stdio.h', 2)).toBe('/usr/include/stdio.h');
  expect(path(['/home/me'], '/tmp/a.c', 0)).toBe('/tmp/a.c');
  expect(path(['/home/me/'], './a.c', 0)).toBe('/home/me/a.c');
  expect(path(['/home/me', '../lib'], 'a.c', 1)).toBe('/home/me/../lib/a.c');
  expect(path(['', 'src'], 'a.c', 1)).toBe('src/a.c');
  expect(path(['project'], 'a.c', 0)).toBe('project/a.c');
  expect(path(['/home/me'], 'a.c', 7)).toBe('/home/me/a.c');
});

it('an index without a file has no path', () => {
  const files = new SourceFiles(['/home/me'], [{ name: undefined, folder: 0 }]);
  expect([files.path(0), files.path(1)]).toEqual([undefined, undefined]);
  files.add({ name: 'late.c', folder: 0 });
  expect(files.path(1)).toBe('/home/me/late.c');
});
