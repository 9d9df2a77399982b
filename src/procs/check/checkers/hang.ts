/** The command does not end. */
import type { Checker } from '../finding.ts';
import { counted } from './multiset.ts';

export const hang: Checker = (recorded, { hung, leftovers }) => {
  if (!hung || recorded.hung) return undefined;
  const waiting = leftovers.length > 0 ? `; still running: ${counted(leftovers)}` : '';
  return { checker: 'hang', evidence: `does not end${waiting}` };
};
