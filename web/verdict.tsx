/** What is known of a race, with a sign that tells without colours. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Report, Verdict } from '../src/report/model.ts';
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

/** How bad it is: each has a colour. */
export type Severity = 'bad' | 'open' | 'fine';

export interface VerdictLook {
  readonly words: string;
  readonly sign: string;
  readonly severity: Severity;
}

/** Engines mean different things by the same verdict. */
export const EngineContext = createContext<Report['engine']>('procs');

export function useVerdicts(): (verdict: Verdict) => VerdictLook {
  const engine = useContext(EngineContext);
  return (verdict) => verdictLook(verdict, engine);
}

export function verdictLook(verdict: Verdict, engine: Report['engine']): VerdictLook {
  const words = verdictWords(verdict, engine);
  switch (verdict) {
    case 'harmful':
    case 'confirmed':
      return { words, sign: '✖', severity: 'bad' };
    case 'detected':
      // What a section could not tolerate has happened, and nobody has to try it.
      return engine === 'tolerate'
        ? { words, sign: '✖', severity: 'bad' }
        : { words, sign: '?', severity: 'open' };
    case 'predicted':
      return { words, sign: '?', severity: 'open' };
    case 'diverged':
      return { words, sign: '≠', severity: 'open' };
    case 'tolerated':
    case 'benign':
      return { words, sign: '✔', severity: 'fine' };
  }
}

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const { words, sign, severity } = useVerdicts()(verdict);
  return (
    <span class={`verdict verdict-${severity}`}>
      <span aria-hidden="true">{sign}</span> {words}
    </span>
  );
}
