/**
 * Text inside SARIF messages, where brackets and braces mean something: `[here](1)` is a link to
 * the related location with id 1, `{0}` a placeholder. A title such as `a[0] in {pool}` must
 * therefore be written `a\[0\] in {{pool}}`.
 */
import type { Message } from 'sarif';
import { printable } from '../../base/bytes.ts';
import type { Race, Report } from '../model.ts';
import { accessorName, capitalize, plural, raceSummary, verdictWords } from '../wording.ts';

/** Names each access with a link to its related location, numbered from 1. */
export function raceMessage(race: Race, engine: Report['engine']): Message {
  const accesses = race.accesses.map(
    (access, index) =>
      `[${escapeText(access.what)}](${index + 1}) by ${escapeText(accessorName(race, access))}`,
  );
  const sentences = [
    escapeText(race.title),
    `${escapeText(capitalize(raceSummary(race)))} (${verdictWords(race.verdict, engine)}): ${accesses.join('; ')}`,
    race.evidence === undefined ? undefined : `Evidence: ${escapeLines(race.evidence)}`,
    race.benign === undefined ? undefined : `May be harmless: ${escapeText(race.benign)}`,
    race.occurrences === 1 ? undefined : `Seen ${plural(race.occurrences, 'time')}`,
    race.replay === undefined ? undefined : `Replay: ${escapeText(race.replay)}`,
  ];
  return { text: `${sentences.filter((sentence) => sentence !== undefined).join('.\n')}.` };
}

/** For any text from a report that goes into a message. */
export function escapeText(text: string): string {
  return printable(text)
    .replace(/[[\]\\]/g, '\\$&')
    .replace(/[{}]/g, '$&$&');
}

const escapeLines = (text: string): string => text.split('\n').map(escapeText).join('\n');
