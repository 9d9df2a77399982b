/**
 * A process may sleep until any signal comes, and only then look which child has ended. That is how
 * dash waits:
 *
 *   sh   wait4(-1, WNOHANG) = 0   sigsuspend ··(SIGCHLD of 14)··   sigprocmask   wait4(-1, WNOHANG) = 14
 *
 * To have it collect 15 instead, it must not have been woken by 14: what it did since it fell asleep
 * belongs to its wait, and happens anew when 15 has ended. That is possible if all of it would have
 * been the same for any child, as looking for signals is.
 */
import { errnoNumber } from '../../linux/errno.ts';
import { syscallName } from '../../linux/syscalls.ts';
import type { Step } from '../detect/step.ts';
import type { Timeline } from '../detect/timeline.ts';
import { waitsForReadiness } from '../model/call-groups.ts';

/** The same, whoever has woken it. */
const FOR_ANY_CHILD: ReadonlySet<string> = new Set([
  'rt_sigsuspend',
  'pause',
  'rt_sigprocmask',
  'rt_sigaction',
  'wait4',
  'waitid',
]);
const EINTR = errnoNumber('EINTR') ?? 0;

/**
 * What the waiting process did since the end of this child woke it, up to the wait, in that order;
 * undefined if it did something by which it must have been that child.
 */
export function rousedBy(
  ended: Step,
  wait: Step,
  { graph, steps }: Timeline,
): readonly Step[] | undefined {
  const since: Step[] = [];
  const before = ({ event }: Step): Step | undefined => {
    const earlier = graph.previousInTask(event);
    return earlier === undefined ? undefined : steps[earlier];
  };
  let step = before(wait);
  for (; step && graph.happensBefore(ended.event, step.event); step = before(step)) {
    since.unshift(step);
  }
  const asleep = since[0]?.record;
  // The signal came while it slept, and is told before the call that it ended.
  while (asleep?.kind === 'call' && step?.record.kind === 'signal') {
    if (step.record.sequence < asleep.entry) break;
    since.unshift(step);
    step = before(step);
  }
  return since.every((one) => one.task === wait.task && isForAnyChild(one)) ? since : undefined;
}

function isForAnyChild({ record }: Step): boolean {
  if (record.kind !== 'call') return record.kind === 'signal';
  if (waitsForReadiness(record)) return record.result === -EINTR;
  return record.reaped === undefined && FOR_ANY_CHILD.has(syscallName(record.number));
}
