/**
 * Signal races: a signal could have come earlier, before something that the target did meanwhile.
 * It matters if that was to set up the handler, or to change something that others can see. Or it
 * could have come later, if it interrupted a call that would have ended without it: interrupted.ts.
 *
 * The signals by which the kernel tells of a child's end are left out: whom a wait collects is told by
 * wait-wakeups races.
 */
import { Signal, signalName } from '../../../linux/signals.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import { distance } from '../distance.ts';
import type { DetectedRace } from '../race.ts';
import { beginningOf, endOf, type Step } from '../step.ts';
import type { Timeline } from '../timeline.ts';
import type { SignalRace } from './event.ts';
import { InterruptedCalls } from './interrupted.ts';
import { SignalState } from './state.ts';

export function detectSignalRaces(timeline: Timeline): DetectedRace[] {
  const { steps, tasks } = timeline;
  const state = new SignalState(timeline);
  const calls = new InterruptedCalls(timeline);
  const causes = new Map<string, DetectedRace>();
  const program = (step: Step) => tasks.programAt(step.task, beginningOf(step)).name;
  for (const step of steps) {
    const found = [raceAt(step, state), laterRaceAt(step, state, calls)];
    state.note(step);
    for (const one of found) {
      if (!one) continue;
      const race = raceOf(one, timeline);
      const way = isLater(one) ? 'later' : 'earlier';
      const key = [program(one.sent), program(one.delivered), one.signal, way].join('\0');
      const known = causes.get(key);
      const occurrences = (known?.occurrences ?? 0) + 1;
      const isBetter = !known || rank(race) < rank(known);
      causes.set(key, { ...(isBetter ? race : known), occurrences });
    }
  }
  return [...causes.values()];
}

/** One with consequences goes before those without, and then the closest one. */
const rank = ({ withoutConsequence, distance: apart }: DetectedRace): number =>
  (withoutConsequence === undefined ? 0 : 2 ** 32) + apart;

function raceAt(step: Step, state: SignalState): SignalRace | undefined {
  const { record } = step;
  if (record.kind !== 'signal' || record.signal === Signal.SIGCHLD) return undefined;
  const { signal } = record;
  const sent = state.sendingOf(step);
  if (!sent) return undefined;
  const met = state.couldHaveMet(sent.event, step.process, signal);
  const setUp = met.find((one) => setsUp(one, signal));
  const change = met.find(
    ({ operations, record: done }) =>
      done.kind === 'start' || operations.some(({ op }) => op === 'store'),
  );
  const closest = setUp ?? change ?? met[0];
  if (!closest) return undefined;
  return { signal, sent, delivered: step, met: closest, matters: Boolean(setUp ?? change) };
}

function laterRaceAt(
  step: Step,
  state: SignalState,
  calls: InterruptedCalls,
): SignalRace | undefined {
  const { record } = step;
  if (record.kind !== 'signal' || record.signal === Signal.SIGCHLD) return undefined;
  const sent = state.sendingOf(step);
  const met = sent && calls.by(step, sent)?.call;
  return met && { signal: record.signal, sent, delivered: step, met, matters: true };
}

/** What it met goes on after it has arrived. */
const isLater = ({ met, delivered }: Pick<SignalRace, 'met' | 'delivered'>): boolean =>
  met.event > delivered.event;

function setsUp({ record }: Step, signal: number): boolean {
  if (record.kind !== 'call') return false;
  const name = syscallName(record.number);
  return name === 'rt_sigaction' && record.args[0] === signal;
}

function raceOf(
  { signal, sent, delivered, met, matters }: SignalRace,
  { graph }: Timeline,
): DetectedRace {
  const name = signalName(signal);
  const otherwise = isLater({ met, delivered }) ? 'is interrupted by' : 'may be met by';
  const parts = [
    {
      step: met,
      role: 'load' as const,
      verb: setsUp(met, signal) ? 'sets up a handler for' : otherwise,
    },
    { step: sent, role: 'signal' as const, verb: 'sends' },
    { step: delivered, role: 'wait' as const, verb: 'receives' },
  ];
  return {
    kind: 'signal',
    thing: { key: `${name} to ${delivered.process}`, name },
    type: 'signal',
    parts: parts.sort((a, b) => endOf(a.step) - endOf(b.step)),
    occurrences: 1,
    distance: distance(graph, met.event, sent.event),
    isOutput: false,
    ...(!matters && {
      withoutConsequence: 'the target did nothing in between that others can see',
    }),
  };
}
