/**
 * What makes a sample be taken, by what the machine can do and what the user asks for:
 *
 *   instructions   the processor counts, and names the very instruction (PEBS, IBS): the best, on bare metal
 *   timer          a timer on the thread's processor time: needs no permission, and costs next to nothing, but
 *                  goes off at ticks of the kernel's clock only (some 250 a second)
 *   cpu-clock      perf's clock, for a --period shorter than a tick; it slows down threads that are switched often
 *
 *   chooseEvent(undefined, machine)           { kind: 'timer', period: 4_000_000, … } in a virtual machine
 *   chooseEvent({ ns: 100_000 }, machine)     { kind: 'cpu-clock', period: 100_000, … }
 */
import { type Result, tryTo } from '../base/result.ts';
import { clockTickNs } from '../linux/clock-tick.ts';
import { closeEvent, type EventOptions, openEvent, SampleField } from '../linux/perf-event.ts';
import { isPerfForbidden, perfRemedy } from '../linux/perf-remedy.ts';

export const EVENT_KINDS = ['timer', 'cpu-clock', 'instructions'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Of --period: processor time, or a number of instructions, which count as nanoseconds where nobody counts them. */
export type WantedPeriod = { readonly ns: number } | { readonly instructions: number };

export interface ChosenEvent {
  readonly kind: EventKind;
  /** Nanoseconds of processor time, or instructions. */
  readonly period: number;
  /** The shortest period that makes sense. */
  readonly shortest: number;
  /** For people. */
  readonly why: string;
  /** What the user asked for and does not get, and why not. */
  readonly shortcoming?: string;
}

/** What the machine can do; tests have one of their own. */
export interface Machine {
  tickNs(): number;
  /** Whether it can be opened, by the user who runs deadheat. */
  tryEvent(kind: 'cpu-clock' | 'instructions'): Result<void>;
}

/** The paper has 200,000, at a cost of 2.8 %; what fits into the budget is found out by measuring. */
const USUAL_INSTRUCTIONS = 500_000;
/** Below that a thread would do hardly anything but take samples. */
const FEWEST_INSTRUCTIONS = 10_000;
const SHORTEST_NS = 10_000;

export function chooseEvent(
  wanted: WantedPeriod | undefined,
  machine: Machine = thisMachine,
): ChosenEvent {
  const counter =
    wanted === undefined || 'instructions' in wanted ? machine.tryEvent('instructions') : undefined;
  if (counter?.ok) {
    const asked = wanted && 'instructions' in wanted ? wanted.instructions : USUAL_INSTRUCTIONS;
    return {
      ...{ kind: 'instructions', shortest: FEWEST_INSTRUCTIONS },
      period: Math.max(asked, FEWEST_INSTRUCTIONS),
      why: 'the processor counts instructions, and names the sampled one',
    };
  }
  const ns = wanted === undefined ? undefined : 'ns' in wanted ? wanted.ns : wanted.instructions;
  return chooseClock(ns, machine, counter);
}

function chooseClock(
  ns: number | undefined,
  machine: Machine,
  counter: Result<void> | undefined,
): ChosenEvent {
  const tick = machine.tickNs();
  const noCounter = counter !== undefined && !counter.ok ? uncounted(counter.error) : undefined;
  const timer = { kind: 'timer', shortest: tick } as const;
  if (ns === undefined || ns >= tick) {
    return { ...timer, period: ns ?? tick, why: noCounter ?? 'the period is a time' };
  }
  const clock = machine.tryEvent('cpu-clock');
  const finer = `a period of ${inMicroseconds(ns)} is shorter than a tick (${inMicroseconds(tick)})`;
  if (clock.ok) {
    const period = Math.max(ns, SHORTEST_NS);
    return { kind: 'cpu-clock', shortest: SHORTEST_NS, period, why: finer };
  }
  const remedy = perfRemedy(clock.error, 'the kernel has no CONFIG_PERF_EVENTS');
  const shortcoming = `${finer}, for which perf is needed: ${remedy}; it is ${inMicroseconds(tick)} instead`;
  return { ...timer, period: tick, why: noCounter ?? 'perf is not to be had', shortcoming };
}

/** That somebody has forbidden it can be mended; that there are none is how most virtual machines are. */
const uncounted = (error: Error): string =>
  isPerfForbidden(error)
    ? `hardware counters are not allowed: ${perfRemedy(error, '')}`
    : 'there are no hardware counters that name instructions';

const inMicroseconds = (ns: number): string => `${ns / 1000} µs`;

const EVERY = { events: 1_000_000 };

const thisMachine: Machine = {
  tickNs: clockTickNs,
  tryEvent: (kind) => tryTo(() => closeEvent(openEvent(optionsOf(kind)))),
};

function optionsOf(kind: 'cpu-clock' | 'instructions'): EventOptions {
  const common = { target: 0, every: EVERY, sample: SampleField.instruction } as const;
  return kind === 'cpu-clock'
    ? { ...common, event: { type: 'software', name: 'cpu-clock' } }
    : { ...common, event: { type: 'hardware', name: 'instructions' }, precise: 1 };
}
