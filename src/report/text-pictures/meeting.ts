/**
 * A race between threads: the order that was traced, in which all went well, and the one in which both meet.
 *
 *   what happened            │ what can happen
 *   ─────────────────────────┼──────────────────────────────
 *   A racy#1: write balance  │   racy#0: fork racy#2
 *     deposit bank.c:24      │   racy#1: acquire account
 *   B racy#2: read balance   │   racy#2: acquire statement
 *     print bank.c:34        │ A racy#1: write balance
 *                            │ B racy#2: read balance
 *                            │ ✖ both at the same moment
 *
 * Of a long way there, the last steps; --verbose has more of them, and where they are.
 */
import { printable } from '../../base/printable.ts';
import { type Side, sidesOf } from '../both-orders.ts';
import { sideBySide } from '../columns.ts';
import type { Race } from '../model.ts';
import { plural, threadName } from '../wording.ts';
import { evidenceLines } from './both-sides.ts';
import { placeLines } from './short-places.ts';

const MOST_STEPS = 6;

export function meeting(race: Race, width: number): string[] {
  const sides = sidesOf(race);
  const named = (side: Side): string => `${side.letter} ${actor(side, race)}`;
  const happened = sides.flatMap((side) => [named(side), ...placeLines(side.access)]);
  const outcome = race.verdict === 'confirmed' ? '✖ both stood there at once' : '? both at once';
  return [
    ...sideBySide(
      { title: 'what happened', lines: happened },
      { title: 'what can happen', lines: [...stepLines(race), ...sides.map(named), outcome] },
      width,
    ),
    ...evidenceLines(race, width),
  ];
}

function stepLines({ steps = [], earlierSteps = 0 }: Race): string[] {
  const shown = steps.slice(-MOST_STEPS);
  const left = steps.length - shown.length + earlierSteps;
  return [
    ...(left === 0 ? [] : [`  … after ${plural(left, 'earlier step')}`]),
    ...shown.map((step) => `  ${threadName(step)}: ${printable(step.what)}`),
  ];
}

const actor = ({ access }: Side, { object }: Race): string =>
  `${threadName(access)}: ${printable(`${access.op} ${object.name}`)}`;
