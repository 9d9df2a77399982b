/** What trying a race comes to; validator.ts has the rules. */
import type { Finding } from '../check/finding.ts';
import type { RunOutcome } from '../check/outcome.ts';
import type { Attempted } from './attempt-thread.ts';

export type Judged =
  | {
      kind: 'harmful';
      findings: readonly Finding[];
      told: Attempted['told'];
      isAmbush: boolean;
      outcome: RunOutcome;
    }
  | { kind: 'benign'; outcome: RunOutcome }
  | { kind: 'diverged'; reason: string };

/** With how long it took to reach it, and how many runs. */
export type Verdict = Judged & { readonly milliseconds: number; readonly attempts: number };
