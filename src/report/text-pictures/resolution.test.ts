import { expect, it } from 'vitest';
import { tolerateReport } from '../testdata/reports.ts';
import { resolved } from './resolution.ts';

it.each([
  ['IVc', 'which no order leads to'],
  ['IVb', 'nothing was resolved'],
])('says that no order leads to it only where that is so: class %s', (name, why) => {
  const race = tolerateReport().races[1]!;
  const lines = resolved(race, { ...race.resolution!, class: name }, 80);
  expect(lines.join('\n')).toContain(why);
});
