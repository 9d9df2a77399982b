/**
 * A race that a critical section was told of: how it was disturbed, and what memory has because of it.
 *
 *   what happened                  │ what it counts as
 *   ───────────────────────────────┼────────────────────────────────
 *   B the section finds 0x5        │ A thread 71 makes it 0x9
 *     deposit bank.c:31            │ B the section makes it 0x6
 *   A thread 71 makes it 0x9       │ ✔ memory has 0x6 (class IVb)
 *     reset bank.c:50              │
 *   B the section makes it 0x6     │
 */
import { printable } from '../../base/printable.ts';
import { type Side, sidesOf } from '../both-orders.ts';
import { sideBySide } from '../columns.ts';
import type { Race, Resolution } from '../model.ts';
import { isKnownThread, threadName } from '../wording.ts';
import { placeLines } from './short-places.ts';

export function resolved(race: Race, how: Resolution, width: number): string[] {
  const [other, section] = sidesOf(race);
  const begins = `${section!.letter} the section finds ${how.found}`;
  const changes = `${other!.letter} ${someone(other!)} makes it ${how.others}`;
  const ends = `${section!.letter} ${sectionEnds(how)}`;
  const placesOf = ({ access }: Side): string[] => placeLines(access);
  const happened = [begins, ...placesOf(section!), changes, ...placesOf(other!), ends];
  const isTolerated = race.verdict === 'tolerated';
  const order = how.kept === 'section' ? [changes, ends] : [ends, changes];
  const memory = `memory has ${how[how.kept]} (class ${printable(how.class)})`;
  const right = isTolerated
    ? { title: 'what it counts as', lines: [...order, `✔ ${memory}`] }
    : { title: 'what became of it', lines: [`✖ ${memory}`, `  ${whyNot(how)}`] };
  return sideBySide({ title: 'what happened', lines: happened }, right, width);
}

/** Of the others there is an order, which was not to be looked for, or does not fit to that of another variable. */
const whyNot = (how: Resolution): string =>
  how.class === 'IVc' ? 'which no order leads to' : 'nothing was resolved';

const sectionEnds = ({ found, section }: Resolution): string =>
  found === section ? `the section goes by ${section}` : `the section makes it ${section}`;

const someone = ({ access }: Side): string =>
  isKnownThread(access) ? `thread ${threadName(access)}` : 'somebody';
