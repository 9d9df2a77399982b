/** What is known of a race, with a sign that tells without colours. */
import type { Race, Verdict } from '../src/report/model.ts';
import { verdictWords } from '../src/report/wording.ts';

/** From worst to best, as people want to read them. */
export const VERDICTS: readonly Verdict[] = [
  'harmful',
  'confirmed',
  'detected',
  'predicted',
  'diverged',
  'tolerated',
  'benign',
];

const SIGNS: Readonly<Record<Verdict, string>> = {
  harmful: '✖',
  confirmed: '✖',
  detected: '?',
  predicted: '?',
  diverged: '≠',
  tolerated: '✔',
  benign: '✔',
};

export const verdictSign = (verdict: Verdict): string => SIGNS[verdict];

/** How bad it is: each has a colour. */
export function severity(verdict: Verdict): 'bad' | 'open' | 'fine' {
  if (verdict === 'harmful' || verdict === 'confirmed') return 'bad';
  return verdict === 'benign' || verdict === 'tolerated' ? 'fine' : 'open';
}

export function VerdictBadge({ race }: { race: Pick<Race, 'verdict' | 'kind'> }) {
  const { verdict } = race;
  return (
    <span class={`verdict verdict-${severity(verdict)}`}>
      <span aria-hidden="true">{verdictSign(verdict)}</span> {verdictWords(race)}
    </span>
  );
}
