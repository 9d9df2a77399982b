/**
 * `npm run errors`: makes docs/errors.md of the sources, so that whoever searches for a message finds what it
 * asks for. Each error that a user can mend is made by `new UserError(message, remedy, status)`; what is filled
 * in when it happens stands there as ‹name›:
 *
 *   new UserError(`no run ${word}`, 'deadheat ls shows all', …)   →   no run ‹word›
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { home } from './run.mjs';

/** @typedef {{ type: string, [part: string]: any }} Node */
/** @typedef {{ message: string, remedy: string, status: string }} Listed */

const STATUS = new Map([
  ['usage', '2'],
  ['unavailable', '69'],
  ['bug', '70'],
]);

/** Who says it, by the folder of the source. */
const PARTS = new Map([
  ['cli', 'The command line'],
  ['trace', 'Runs and recordings'],
  ['linux', 'The machine'],
  ['procs', '`procs`: processes'],
  ['threads', '`threads`'],
  ['watch', '`watch`'],
  ['sample', '`sample`'],
  ['tolerate', '`tolerate`'],
  ['report', 'Reports'],
  ['binary', 'Program files'],
  ['debugger', 'Running programs'],
]);

export function catalogue() {
  const source = join(home, 'src');
  /** @type {Map<string, Listed[]>} */
  const found = new Map();
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files.filter((name) => /(?<!\.test)\.ts$/.test(name))) {
    const [part = ''] = file.split('/');
    const errors = errorsIn(readFileSync(join(source, file), 'utf8'));
    found.set(part, [...(found.get(part) ?? []), ...errors]);
  }
  const sections = [...PARTS].flatMap(([part, title]) => section(title, found.get(part) ?? []));
  return `${[...HEAD, ...sections].join('\n')}\n`;
}

const HEAD = [
  '# What deadheat may ask you to mend',
  '',
  'Each of these is printed as one line, `deadheat: MESSAGE; REMEDY`, and nothing of yours is changed. What is',
  'filled in when it happens stands here as ‹name›. The exit status is 2 if the command line or a file that it',
  'names is wrong, 69 if the machine lacks something. Anything else is a bug of ours (70), and says how to report',
  'it. This page is made of the sources by `npm run errors`.',
];

/**
 * @param {string} title
 * @param {Listed[]} errors
 */
function section(title, errors) {
  if (errors.length === 0) return [];
  const rows = new Set(
    errors.map(({ message, remedy, status }) => `| ${message} | ${remedy} | ${status} |`),
  );
  const head = ['', `## ${title}`, '', '| message | what to do | exit |', '| --- | --- | --- |'];
  return [...head, ...[...rows].sort()];
}

/**
 * @param {string} text of a source file
 * @returns {Listed[]} those whose message is written there; others put together what is listed elsewhere
 */
export function errorsIn(text) {
  /** @type {Listed[]} */
  const errors = [];
  visit(parseAst(text, { lang: 'ts' }), (node) => {
    if (node.type !== 'NewExpression' || node.callee.name !== 'UserError') return;
    const [message, remedy, status] = node.arguments;
    const said = textOf(message);
    if (said === undefined || !/\w{3}/.test(said.replace(/‹[^›]*›/g, ''))) return;
    errors.push({
      message: cell(said),
      remedy: cell(textOf(remedy) ?? 'as it says'),
      status: STATUS.get(status?.property?.name ?? 'usage') ?? '2 or 69',
    });
  });
  return errors;
}

/**
 * @param {Node} node
 * @param {(node: Node) => void} each
 */
function visit(node, each) {
  each(node);
  for (const child of Object.values(node).flat()) {
    if (child && typeof child === 'object' && typeof child.type === 'string') visit(child, each);
  }
}

/**
 * @param {Node | undefined} node
 * @returns {string | undefined}
 */
function textOf(node) {
  switch (node?.type) {
    case 'Literal':
      return String(node.value);
    case 'TemplateLiteral':
      return node.quasis
        .map((/** @type {Node} */ quasi, /** @type {number} */ index) =>
          index < node.expressions.length
            ? `${quasi.value.cooked}${filledIn(node.expressions[index])}`
            : quasi.value.cooked,
        )
        .join('');
    case 'BinaryExpression': {
      const [left, right] = [textOf(node.left), textOf(node.right)];
      return left === undefined || right === undefined ? undefined : left + right;
    }
    default:
      return undefined;
  }
}

/**
 * The last name in an expression: `(error as Error).message` is ‹message›, `printable(path)` is ‹path›.
 * @param {Node} expression
 * @returns {string}
 */
function filledIn(expression) {
  const known = textOf(expression);
  if (known !== undefined) return known;
  let name = '…';
  visit(expression, (node) => {
    if (node.type === 'Identifier') name = node.name;
  });
  return `‹${name}›`;
}

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');

const FILE = join(home, 'docs', 'errors.md');
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, catalogue());
