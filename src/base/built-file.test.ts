import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { builtFile } from './built-file.ts';

const SOURCES = fileURLToPath(builtFile('.'));

it('is how all find files of the build that are deeper than it: bundling moves them', () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/\.test\.ts$|testdata/.test(path),
  );
  expect(sources).toContain('base/built-file.ts');
  const goByTheirPlace = sources.filter((path) =>
    readFileSync(join(SOURCES, path), 'utf8').includes('import.meta.url'),
  );
  expect(goByTheirPlace.filter((path) => path.split('/').length !== 2)).toEqual([]);
});
