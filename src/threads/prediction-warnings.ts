/** What a prediction leaves open, for people. */
import { Labels } from './model/labels.ts';
import type { ThreadTrace } from './model/trace.ts';
import type { Predicted } from './predict/predict-races.ts';

const MOST_NAMED = 3;

export function predictionWarnings(predicted: Predicted, trace: ThreadTrace): string[] {
  const { undecided, untold, clearedNearby, crowdedVariables, unfolded } = predicted;
  const warnings: string[] = [];
  if (undecided.length > 0) {
    const labels = new Labels(trace.tables);
    const names = [...new Set(undecided.map(({ variable }) => labels.variable(variable)))];
    const more = names.length > MOST_NAMED ? ' and others' : '';
    const what = undecided.length === 1 ? '1 pair' : `${undecided.length} pairs`;
    warnings.push(
      `${what} of accesses (${names.slice(0, MOST_NAMED).join(', ')}${more}) may race or not: ` +
        'undecided; a longer --budget may tell',
    );
  }
  if (clearedNearby > 0) {
    const were = clearedNearby === 1 ? 'candidate was' : 'candidates were';
    warnings.push(
      `${clearedNearby} ${were} looked at within a part of the trace only, and did not race there`,
    );
  }
  if (crowdedVariables > 0) {
    const variables = crowdedVariables === 1 ? '1 variable' : `${crowdedVariables} variables`;
    warnings.push(
      `on ${variables} there were too many different accesses to compare all of them in other orders`,
    );
  }
  if (untold > 0) warnings.push(`${untold} more races are left out`);
  if (unfolded > 0) {
    warnings.push(`on some variables there were too many races: ${unfolded} pairs are left out`);
  }
  return warnings;
}
