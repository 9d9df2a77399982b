/**
 * Two processes that race, and who came between them and the process from which both descend. To run
 * them in a serial order is to run one of these branches of the family to its end before the other
 * begins:
 *
 *   make ─┬─ sh ── mkdir obj          the units are the two shells, with all their children
 *         └─ sh ── cc ── as
 *
 * If more than two fight over something, all of them may be run one after the other.
 *
 * If one descends from the other, the units are the child's branch, and the other process itself.
 */
import type { Script, ScriptedTask } from '../replay/script.ts';

/** A process by its way down from the command: which child of its parent each one is. */
export type FamilyPath = readonly number[];

export interface Unit {
  readonly path: FamilyPath;
  /** With its children and theirs. */
  readonly withDescendants: boolean;
}

/** The units of the two tasks; undefined if they are of one process. */
export function unitsOf(
  script: Script,
  one: ScriptedTask,
  other: ScriptedTask,
): readonly [Unit, Unit] | undefined {
  const ways = familyPaths(script);
  const [a, b] = [ways.get(one), ways.get(other)];
  if (!a || !b) return undefined;
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common++;
  if (common === a.length && common === b.length) return undefined;
  return [unitBelow(a, common), unitBelow(b, common)];
}

/**
 * The units of several tasks, in the order of these; who comes more than once, at the last place.
 * The process from which all descend is none of them.
 */
export function unitsInOrder(script: Script, tasks: readonly ScriptedTask[]): readonly Unit[] {
  const ways = familyPaths(script);
  const paths = tasks.flatMap((task) => [ways.get(task) ?? []]);
  const [some = []] = paths;
  let common = 0;
  while (common < some.length && paths.every((path) => path[common] === some[common])) common++;
  const units = new Map<string, Unit>();
  for (const path of paths.filter(({ length }) => length > common)) {
    const unit = unitBelow(path, common);
    units.delete(unit.path.join());
    units.set(unit.path.join(), unit);
  }
  return [...units.values()];
}

export function isIn(path: FamilyPath, { path: unit, withDescendants }: Unit): boolean {
  const isBelow = unit.every((step, index) => path[index] === step);
  return isBelow && (withDescendants || path.length === unit.length);
}

function unitBelow(path: FamilyPath, common: number): Unit {
  return common === path.length
    ? { path, withDescendants: false }
    : { path: path.slice(0, common + 1), withDescendants: true };
}

/** Threads are on the way of their process, and its children are counted whoever starts them. */
export function familyPaths({ root, items }: Script): Map<ScriptedTask, FamilyPath> {
  const paths = new Map<ScriptedTask, FamilyPath>([[root, []]]);
  const children = new Map<FamilyPath, number>();
  for (const { task, child } of items) {
    const path = paths.get(task);
    if (!path || !child) continue;
    const count = children.get(path) ?? 0;
    if (child.start.how === 'thread') paths.set(child, path);
    else {
      paths.set(child, [...path, count]);
      children.set(path, count + 1);
    }
  }
  return paths;
}
