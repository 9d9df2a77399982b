/**
 * The two steps of a race of which either could have come first. Where there is a third, they fight
 * over it:
 *
 *   make: wait4(-1) gets sh 14 or sh 15      the ends of 14 and 15; make itself is nobody's rival
 */
import type { Participant, RaceKind } from '../detect/race.ts';
import type { Step } from '../detect/step.ts';
import type { RaceInstance } from './branch.ts';

const FOUGHT_OVER: Readonly<Record<RaceKind, Participant['role'] | undefined>> = {
  'load-store': undefined,
  'wait-wakeups': 'wait',
  'wakeup-waits': 'wakeup',
  // It is received wherever it was sent to.
  signal: 'wait',
};

export const rivals = ({ kind, parts }: RaceInstance): readonly Step[] =>
  parts.filter(({ role }) => role !== FOUGHT_OVER[kind]).map(({ step }) => step);
