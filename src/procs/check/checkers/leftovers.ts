/** Programs are left running that are not left running by the recorded order. */
import type { Checker } from '../finding.ts';
import { counted, surplus } from './multiset.ts';

export const leftovers: Checker = (recorded, branch) => {
  // Of a run that does not end, everything is left over: see hang.ts.
  if (branch.hung) return undefined;
  const added = surplus(branch.leftovers, recorded.leftovers);
  if (added.length === 0) return undefined;
  return { checker: 'leftovers', evidence: `still running after the end: ${counted(added)}` };
};
