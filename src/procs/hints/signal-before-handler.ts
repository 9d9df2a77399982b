/**
 * A signal may come before its handler is set up:
 *
 *   worker &            kill -USR1 $! may reach worker before its trap is set
 *   kill -USR1 $!
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { DetectedRace } from '../detect/race.ts';
import { beginningOf, type Step } from '../detect/step.ts';
import type { Timeline } from '../detect/timeline.ts';
import { isShell } from './shells.ts';

export function signalBeforeHandler(race: DetectedRace, { tasks }: Timeline): string | undefined {
  const handler = race.parts.find(({ role }) => role === 'load')?.step;
  const sending = race.parts.find(({ role }) => role === 'signal')?.step;
  if (!handler || !sending || handler.record.kind !== 'call') return undefined;
  if (syscallName(handler.record.number) !== 'rt_sigaction') return undefined;
  const program = (step: Step) => tasks.programAt(step.task, beginningOf(step));
  const [target, sender] = [program(handler), program(sending)];
  const how = isShell(target)
    ? `set the trap for ${race.thing.name} first`
    : `set up the handler for ${race.thing.name}, or block it, first`;
  return `${how}, and let ${sender.name} send it only when ${target.name} has said that it is ready`;
}
