/**
 * At which calls the tasks of a tree stop. Without a conductor, at all that are recorded; with one,
 * only at those that somebody wants to know of, but also whenever one makes another task.
 */
import type { StopAt } from '../../linux/seccomp.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { isRefused, RECORDED_NUMBERS, recordedCall } from '../model/recorded-calls.ts';
import type { Answers } from './answers.ts';
import type { Conductor } from './conductor.ts';
import { CLONE_STOPS } from './untraced-clones.ts';

const RECORDED: readonly StopAt[] = [
  ...RECORDED_NUMBERS.map((number) => ({ number, except: recordedCall(number)?.skipped })),
  ...CLONE_STOPS,
  { number: syscallNumber('restart_syscall') },
];

/** The calls that make tasks; what they made, a start record tells. */
const STARTING: ReadonlySet<number> = new Set(
  ['fork', 'vfork', 'clone', 'clone3'].map(syscallNumber),
);
export const isStartingCall = (number: number): boolean => STARTING.has(number);

export function callStops(
  conductor: Pick<Conductor, 'unneeded'> | undefined,
  answers: Pick<Answers, 'numbers'> | undefined,
): readonly StopAt[] {
  if (!conductor) return RECORDED;
  const { unneeded } = conductor;
  const isNeeded = (number: number): boolean =>
    !unneeded?.has(number) || isRefused(number) || (answers?.numbers.has(number) ?? false);
  return [
    ...RECORDED.filter(({ number }) => isNeeded(number) && !isStartingCall(number)),
    ...[...STARTING].map((number) => ({ number })),
  ];
}
