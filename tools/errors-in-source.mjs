/**
 * The errors that a source file may tell a user: each is made by `new UserError(message, remedy, status)`, or is of
 * a class that extends it. What is filled in when it happens stands there as ‹name›:
 *
 *   new UserError(`no run ${word}`, 'deadheat ls shows all', …)   →   no run ‹word›
 *
 * Of a message that is one or the other, both are listed.
 */
import { parseAst } from 'rolldown/parseAst';

/** @typedef {{ type: string, [part: string]: any }} Node */
/** @typedef {{ message: string, remedy: string, status: string }} Listed */

const STATUS = new Map([
  ['usage', '2'],
  ['unavailable', '69'],
  ['bug', '70'],
]);

/**
 * @param {string} text of a source file
 * @returns {Listed[]} those whose message is written there; others put together what is listed elsewhere
 */
export function errorsIn(text) {
  const program = parseAst(text, { lang: 'ts' });
  const constants = constantsIn(program);
  /** @type {Listed[]} */
  const errors = [];
  for (const [message, remedy, status] of errorsMadeIn(program)) {
    const remedies = textsOf(remedy, constants) ?? ['as it says'];
    const said = (textsOf(message, constants) ?? []).filter(isTelling);
    // One condition decides about both, if there are as many of them.
    const isPaired = said.length === remedies.length;
    for (const [index, one] of said.entries()) {
      errors.push({
        message: cell(one),
        remedy: cell(isPaired ? /** @type {string} */ (remedies[index]) : remedies.join(', or: ')),
        status: (status ? STATUS.get(status.property?.name) : '2') ?? '2 or 69',
      });
    }
  }
  return errors;
}

/** @param {string} message */
const isTelling = (message) => /\w{3}/.test(message.replace(/‹[^›]*›/g, ''));

/**
 * What each error is made with: `new UserError(…)`, `new GuestHangs(…)`, or `super(…)` in such a class.
 * @param {Node} program
 * @returns {Node[][]}
 */
function errorsMadeIn(program) {
  const names = new Set(['UserError']);
  /** @type {Node[][]} */
  const made = [];
  visit(program, (node) => {
    if (node.type !== 'ClassDeclaration' || node.superClass?.name !== 'UserError') return;
    names.add(node.id.name);
    visit(node, ({ type, callee, arguments: given }) => {
      if (type === 'CallExpression' && callee.type === 'Super') made.push(given);
    });
  });
  visit(program, ({ type, callee, arguments: given }) => {
    if (type === 'NewExpression' && names.has(callee.name)) made.push(given);
  });
  return made;
}

/**
 * The constants of a file, without those names that it has twice, since it is not known which is meant.
 * @param {Node} program
 * @returns {Map<string, Node | undefined>}
 */
function constantsIn(program) {
  /** @type {Map<string, Node | undefined>} */
  const constants = new Map();
  visit(program, (node) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') return;
    for (const { id, init } of node.declarations) {
      if (id.type === 'Identifier')
        constants.set(id.name, constants.has(id.name) ? undefined : init);
    }
  });
  return constants;
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
 * What an expression may be: one text, or all that a condition chooses from.
 * @param {Node | undefined} node
 * @param {Map<string, Node | undefined>} constants
 * @returns {string[] | undefined}
 */
function textsOf(node, constants) {
  switch (node?.type) {
    case 'Literal':
      return [String(node.value)];
    case 'Identifier':
      return textsOf(constants.get(node.name), constants);
    case 'TemplateLiteral':
      return node.quasis
        .flatMap((/** @type {Node} */ quasi, /** @type {number} */ index) => [
          [quasi.value.cooked],
          filledIn(node.expressions[index], constants),
        ])
        .reduce(eachWithEach);
    case 'BinaryExpression':
      return both(node.left, node.right, eachWithEach);
    case 'ConditionalExpression':
      return both(node.consequent, node.alternate, (one, other) => [...one, ...other]);
    default:
      return undefined;
  }

  /**
   * @param {Node} left
   * @param {Node} right
   * @param {(left: string[], right: string[]) => string[]} together
   */
  function both(left, right, together) {
    const [one, other] = [textsOf(left, constants), textsOf(right, constants)];
    return one && other && together(one, other);
  }
}

/**
 * @param {string[]} left
 * @param {string[]} right
 */
const eachWithEach = (left, right) => left.flatMap((one) => right.map((other) => one + other));

/**
 * The last name in an expression: `(error as Error).message` is ‹message›, `printable(path)` is ‹path›.
 * @param {Node | undefined} expression behind the last piece of a text there is none
 * @param {Map<string, Node | undefined>} constants
 * @returns {string[]}
 */
function filledIn(expression, constants) {
  if (expression === undefined) return [''];
  const known = textsOf(expression, constants);
  if (known !== undefined) return known;
  let name = '…';
  visit(expression, (node) => {
    if (/^(Private)?Identifier$/.test(node.type)) name = node.name;
  });
  return [`‹${name}›`];
}

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
