/** Each thread starts from one file: to look for its modules would take longer than what it does. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from './harness/deadheat.ts';

const folder = join(PROJECT, 'dist', 'workers');
const KNOWN: ReadonlySet<string> = new Set([...builtinModules, 'koffi']);

it.each(['record.js', 'analyse.js', 'validate.js', 'predict.js'])(
  '%s needs no other module of ours',
  (name) => {
    expect(readdirSync(folder)).toContain(name);
    const text = readFileSync(join(folder, name), 'utf8');
    const imported = [...text.matchAll(/^import .*?"([^"]+)";$/gm)].map(([, from = '']) => from);
    expect(imported).toContain('node:worker_threads');
    expect(imported.filter((from) => !KNOWN.has(from.replace(/^node:/, '')))).toEqual([]);
  },
);
