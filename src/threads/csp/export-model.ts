/** The check for a race as CSPm text, which FDR reads, and `cspm/parser.ts` too. */
import type { ThreadTrace } from '../model/trace.ts';
import type { AccessesOf, Window } from './race-search.ts';

export function exportModel(
  _trace: ThreadTrace,
  _accesses: AccessesOf,
  _options: { readonly sound: boolean; readonly window?: Window },
): string {
  return '';
}
