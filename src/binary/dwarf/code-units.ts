/** The units that may have code: not those that only hold types, or what `dwz` found in several. */
import { CompilationUnit } from './compilation-unit.ts';
import type { Entry } from './entry.ts';
import { Attribute, Tag } from './numbers.ts';
import type { Problems } from './problems.ts';
import type { Units } from './units.ts';

export function codeUnits(units: Units, problems: Problems): CompilationUnit[] {
  if (units.damage) problems.add(units.damage.message);
  const found: CompilationUnit[] = [];
  let splitCount = 0;
  for (const unit of units.list) {
    const root = problems.guard(() => unit.root);
    if (root?.tag !== Tag.compileUnit && root?.tag !== Tag.skeletonUnit) continue;
    if (isSplit(root)) splitCount++;
    found.push(new CompilationUnit(unit, problems));
  }
  if (splitCount > 0) {
    problems.add(
      `${splitCount} of ${found.length} units keep their debug information in .dwo files (split DWARF), ` +
        'which are not read: their functions and variables are unknown',
    );
  }
  return found;
}

const isSplit = (root: Entry): boolean =>
  root.tag === Tag.skeletonUnit || root.has(Attribute.dwoName) || root.has(Attribute.gnuDwoName);
