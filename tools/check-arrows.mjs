/**
 * Imports between the folders of src/ only point down:
 *
 *   cli → engines → debugger, preload → order, binary, trace, report → linux → base
 *
 * Engines do not import each other, except that `threads` may use `watch`. Prints each import
 * that points elsewhere and exits 1; the table below is the whole rule.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { home } from './run.mjs';

const PARTS = ['order', 'binary', 'trace', 'report', 'linux', 'base'];
const ENGINES = ['procs', 'threads', 'sample', 'watch', 'tolerate'];

/** @type {Record<string, readonly string[]>} */
export const MAY_IMPORT = {
  base: [],
  linux: ['base'],
  order: ['base'],
  binary: ['base'],
  report: ['base'],
  trace: ['linux', 'base'],
  doctor: ['watch', 'linux', 'base'],
  debugger: ['binary', 'report', 'linux', 'base'],
  preload: ['binary', 'linux', 'base'],
  procs: PARTS,
  threads: [...PARTS, 'debugger', 'preload', 'watch'],
  sample: [...PARTS, 'preload'],
  watch: [...PARTS, 'debugger'],
  tolerate: [...PARTS, 'debugger', 'preload'],
  cli: [...ENGINES, ...PARTS, 'doctor'],
};

/**
 * The wrong imports of one file, as `src/order/a.ts imports src/trace/b.ts`.
 * @param {string} source the folder that holds the layers
 * @param {string} file
 * @param {string} text
 */
export function wrongImports(source, file, text) {
  const [layer = ''] = relative(source, file).split('/');
  const allowed = MAY_IMPORT[layer];
  const name = relative(dirname(source), file);
  if (!allowed)
    return [`${name}: the folder ${layer} is not in the table of tools/check-arrows.mjs`];
  const wrong = [];
  for (const [, path = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    const target = resolve(dirname(file), path);
    const [other = ''] = relative(source, target).split('/');
    if (other === layer || allowed.includes(other)) continue;
    wrong.push(`${name} imports ${relative(dirname(source), target)}`);
  }
  return wrong;
}

/** @param {string} source */
function checkTree(source) {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(source, name));
  const wrong = files.flatMap((file) => wrongImports(source, file, readFileSync(file, 'utf8')));
  return { files: files.length, wrong };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, wrong } = checkTree(join(home, 'src'));
  for (const line of wrong) console.error(line);
  console.log(`arrows: ${files} files, ${wrong.length} wrong imports`);
  process.exit(wrong.length === 0 ? 0 : 1);
}
