/**
 * What leads to a predicted race, as text: a line for each synchronisation step, by whom, what and where. After
 * them both threads stand before their accesses.
 *
 *   Steps that lead both threads there:
 *     main      fork worker     /home/me/pool/main.c:30
 *     worker    acquire m       /home/me/pool/queue.c:14
 */
import { printable } from '../base/printable.ts';
import { sourcePosition } from './frames.ts';
import type { Race, Site } from './model.ts';
import { plural, threadName } from './wording.ts';

export function witnessLines({ steps = [], earlierSteps }: Race): string[] {
  if (steps.length === 0) return ['', '  Both threads come there without any step before.'];
  const earlier =
    earlierSteps === undefined
      ? []
      : [`    … after ${plural(earlierSteps, 'earlier step')}, as recorded`];
  const rows = steps.map((step) => [
    threadName(step),
    printable(step.what),
    printable(placeOf(step.site)),
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map(([who, what, where]) =>
    `    ${who!.padEnd(widths[0]!)}  ${what!.padEnd(widths[1]!)}  ${where}`.trimEnd(),
  );
  return ['', '  Steps that lead both threads there:', ...earlier, ...lines];
}

/** For races that have a rung. */
export function howPredicted({ rung, certain }: Race): string {
  switch (rung) {
    case 'happens-before': {
      const how = 'by happens-before: nothing orders the two in the traced run';
      return certain ? how : `${how}\nit may be a mere consequence of another race`;
    }
    case 'sync-preserving':
      return 'by reordering: they meet in another order, in which locks are taken in the same turns';
    case 'search': {
      const how = 'by a search: they meet in another order';
      return certain
        ? how
        : `${how}\nwith other values, the threads may not come there (see --sound)`;
    }
    case undefined:
      return '';
  }
}

function placeOf(site: Site | undefined): string {
  if (site?.file !== undefined) return sourcePosition(site.file, site.line);
  return [site?.module, site?.address].filter((part) => part !== undefined).join('+');
}
