/**
 * The files are left in a state that no serial order leaves them in. Two processes that each add
 * one to a counter and their name to a list may do so in either order, and the list shows which;
 * but the counter is 2 afterwards. If the branch has 1, an update was lost:
 *
 *   unlike after every serial order: counter
 *   @@ -1 +1 @@
 *   -2
 *   +1
 *
 * It may also be the recorded run in which the update was lost, and the branch in which it is not.
 * That counts only if what the race is about is among the files that differ: other races may have
 * gone otherwise in the branch, too.
 *
 * A log may have the lines of more than two processes in any order, and so may what is made from it.
 *
 * If there is no serial order to compare with, nothing is said.
 */
import { printable } from '../../../base/bytes.ts';
import { shownPath } from '../../detect/describe-step.ts';
import { differingPaths, type FinalFiles, type LeftOut, sameFiles } from '../final-files.ts';
import type { Around, Checker, Finding } from '../finding.ts';
import { eitherOf } from '../ignored-files.ts';
import { describeDifference } from './file-difference.ts';
import { multisetOfLines, sameMultiset } from './lines.ts';

const MOST_NAMED = 3;

export const finalFiles: Checker = (recorded, branch, around) => {
  // Of a run that was ended by us, the files are those of some moment.
  if (recorded.hung || branch.hung) return undefined;
  const except = eitherOf(eitherOf(around.ignored, around.unstable), around.orderIn.locked);
  const files = around.filesOf(branch);
  if (sameFiles(around.filesOf(recorded), files, except)) return undefined;
  const orders = [...around.serialOrders()];
  const nearest = nearestOf(orders, files, except, around);
  if (!nearest) return undefined;
  if (nearest.paths.length > 0) return found(told(nearest, files, around));
  const before = around.filesOf(recorded);
  const nearestBefore = nearestOf(orders, before, except, around)!;
  const isAboutRace = nearestBefore.paths.some((path) => path === around.contested);
  return isAboutRace ? found(`as recorded, ${told(nearestBefore, before, around)}`) : undefined;
};

const found = (evidence: string): Finding => ({ checker: 'final-files', evidence });

function told({ order, paths }: Nearest, files: FinalFiles, { cwd }: Around): string {
  const areFiles = (path: string): boolean =>
    [order, files].every((one) => one.stateOf(path).kind === 'file');
  const first = paths.find(areFiles) ?? paths[0]!;
  const names = [first, ...paths.filter((path) => path !== first)].map((path) =>
    printable(shownPath(path, cwd)),
  );
  const more = names.length - MOST_NAMED;
  const named = [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const difference = describeDifference(names[0]!, order.stateOf(first), files.stateOf(first));
  return `unlike after every serial order: ${named}\n${difference}`;
}

interface Nearest {
  readonly order: FinalFiles;
  /** Where it differs. */
  readonly paths: readonly string[];
}

/** The first one that differs in the fewest paths. */
function nearestOf(
  orders: readonly FinalFiles[],
  files: FinalFiles,
  except: LeftOut,
  around: Around,
): Nearest | undefined {
  let nearest: Nearest | undefined;
  for (const order of orders) {
    const differing = differingPaths(order, files, except);
    const paths = withoutOtherOrders(differing, order, files, around);
    if (!nearest || paths.length < nearest.paths.length) nearest = { order, paths };
  }
  return nearest;
}

/** Those that differ by more than the order of what was appended to some log. */
function withoutOtherOrders(
  differing: readonly string[],
  order: FinalFiles,
  files: FinalFiles,
  { orderIn, contested }: Around,
): readonly string[] {
  // The two that race were run in both orders: if they have mixed their lines, that does tell.
  const mayBeInAnyOrder = (path: string): boolean =>
    (orderIn.appended.get(path) ?? 0) > (path === contested ? 2 : 1);
  const isOtherOrder = (path: string): boolean => {
    const [one, other] = [order.stateOf(path), files.stateOf(path)];
    if (one.kind !== 'file' || other.kind !== 'file' || one.size !== other.size) return false;
    if (one.mode !== other.mode || one.owner !== other.owner) return false;
    return sameMultiset(multisetOfLines(one.content), multisetOfLines(other.content));
  };
  if (!differing.some((path) => mayBeInAnyOrder(path) && isOtherOrder(path))) return differing;
  return differing.filter((path) => !isOtherOrder(path));
}
