/**
 * Imports between the folders of src/ only point down:
 *
 *   cli → engines → debugger, preload → order, binary, trace, report → linux → base
 *
 * Engines do not import each other, except that `threads` may use `watch`. The page of the HTML report, in
 * web/, may use what needs no kernel: `report` and `base`. Prints each import that points elsewhere and exits
 * 1; the tables below are the whole rule.
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
  doctor: ['sample', 'watch', 'linux', 'base'],
  debugger: ['binary', 'report', 'linux', 'base'],
  preload: ['binary', 'linux', 'base'],
  procs: PARTS,
  threads: [...PARTS, 'debugger', 'preload', 'watch'],
  sample: [...PARTS, 'debugger', 'preload'],
  watch: [...PARTS, 'debugger'],
  tolerate: [...PARTS, 'debugger', 'preload'],
  cli: [...ENGINES, ...PARTS, 'doctor'],
};

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

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
  for (const [, path = ''] of text.matchAll(IMPORT)) {
    const target = resolve(dirname(file), path);
    const [other = ''] = relative(source, target).split('/');
    if (other === layer || allowed.includes(other)) continue;
    wrong.push(`${name} imports ${relative(dirname(source), target)}`);
  }
  return wrong;
}

const PAGE_MAY_IMPORT = ['report', 'base'];

/**
 * The same for a file of the page, which stands beside `source`.
 * @param {string} source
 * @param {string} file
 * @param {string} text
 */
export function wrongPageImports(source, file, text) {
  const root = dirname(source);
  const wrong = [];
  for (const [, path = ''] of text.matchAll(IMPORT)) {
    const [folder = '', layer = ''] = relative(root, resolve(dirname(file), path)).split('/');
    if (folder === 'web' || (folder === 'src' && PAGE_MAY_IMPORT.includes(layer))) continue;
    wrong.push(`${relative(root, file)} imports ${relative(root, resolve(dirname(file), path))}`);
  }
  return wrong;
}

/**
 * @param {string} folder
 * @param {(file: string, text: string) => string[]} wrongIn
 */
function checkTree(folder, wrongIn) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
  const wrong = files.flatMap((file) => wrongIn(file, readFileSync(file, 'utf8')));
  return { files: files.length, wrong };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const source = join(home, 'src');
  const trees = [
    checkTree(source, (file, text) => wrongImports(source, file, text)),
    checkTree(join(home, 'web'), (file, text) => wrongPageImports(source, file, text)),
  ];
  const wrong = trees.flatMap((tree) => tree.wrong);
  const files = trees.reduce((sum, tree) => sum + tree.files, 0);
  for (const line of wrong) console.error(line);
  console.log(`arrows: ${files} files, ${wrong.length} wrong imports`);
  process.exit(wrong.length === 0 ? 0 : 1);
}
