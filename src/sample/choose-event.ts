/**
 * What makes a sample be taken, by what the machine can do and what the user asks for:
 *
 *   instructions   the processor counts: the best, on bare metal. With PEBS it also notes down the very instruction
 *                  and its registers, which is a second sample beside that of the signal. (AMD's IBS names the
 *                  instruction, too, but the kernel gives it the registers of the interrupt, which the signal has.)
 *   timer          a timer on the thread's processor time: needs no permission, and costs next to nothing, but
 *                  goes off at ticks of the kernel's clock only (some 250 a second)
 *   cpu-clock      perf's clock, for a --period shorter than a tick; it slows down threads that are switched often
 *
 *   chooseEvent(undefined, machine)           { kind: 'timer', period: 4_000_000, … } in a virtual machine
 *   chooseEvent({ ns: 100_000 }, machine)     { kind: 'cpu-clock', period: 100_000, … }
 */
import { type Result, tryTo } from '../base/result.ts';
import { clockTickNs } from '../linux/clock-tick.ts';
import {
  closeEvent,
  openEvent,
  type PerfEvent,
  readCount,
  SampleField,
} from '../linux/perf-event.ts';
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
  /** How perf has it; undefined for the timer. */
  readonly perf?: PerfSettings;
  /** For people. */
  readonly why: string;
  /** `why` is something that can be mended: a better one is there, but not allowed. */
  readonly isForbidden?: boolean;
  /** What the user asked for and does not get, and why not. */
  readonly shortcoming?: string;
}

/** In the numbers of struct perf_event_attr, <linux/perf_event.h>. */
export interface PerfSettings {
  readonly type: number;
  readonly config: bigint;
  readonly precise: number;
}

/** PERF_TYPE_SOFTWARE and PERF_COUNT_SW_CPU_CLOCK, PERF_TYPE_HARDWARE and PERF_COUNT_HW_INSTRUCTIONS. */
const CPU_CLOCK: PerfSettings = { type: 1, config: 0n, precise: 0 };
const INSTRUCTIONS = { type: 0, config: 1n } as const;

/** What the machine can do, for the user who runs deadheat; tests have one of their own. */
export interface Machine {
  tickNs(): number;
  hasClock(): Result<void>;
  /** How exactly counted instructions are named, from 1 to 3; 0 if they are only counted. */
  exactness(): Result<number>;
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
    wanted === undefined || 'instructions' in wanted ? machine.exactness() : undefined;
  if (counter?.ok) {
    const asked = wanted && 'instructions' in wanted ? wanted.instructions : USUAL_INSTRUCTIONS;
    return {
      ...{ kind: 'instructions', shortest: FEWEST_INSTRUCTIONS },
      period: Math.max(asked, FEWEST_INSTRUCTIONS),
      perf: { ...INSTRUCTIONS, precise: counter.value },
      why: `the processor counts instructions${counter.value > 0 ? ', and names the sampled one' : ''}`,
    };
  }
  const ns = wanted === undefined ? undefined : 'ns' in wanted ? wanted.ns : wanted.instructions;
  return chooseClock(ns, machine, counter);
}

function chooseClock(
  ns: number | undefined,
  machine: Machine,
  counter: Result<number> | undefined,
): ChosenEvent {
  const tick = machine.tickNs();
  const noCounter = counter !== undefined && !counter.ok ? uncounted(counter.error) : undefined;
  const isForbidden = counter !== undefined && !counter.ok && isPerfForbidden(counter.error);
  const timer = { kind: 'timer', shortest: tick, isForbidden } as const;
  if (ns === undefined || ns >= tick) {
    return { ...timer, period: ns ?? tick, why: noCounter ?? 'the period is a time' };
  }
  const clock = machine.hasClock();
  const finer = `a period of ${inMicroseconds(ns)} is shorter than a tick (${inMicroseconds(tick)})`;
  if (clock.ok) {
    const period = Math.max(ns, SHORTEST_NS);
    return { kind: 'cpu-clock', shortest: SHORTEST_NS, period, perf: CPU_CLOCK, why: finer };
  }
  const remedy = perfRemedy(clock.error, 'the kernel has no CONFIG_PERF_EVENTS');
  const shortcoming = `${finer}, for which perf is needed: ${remedy}; it is ${inMicroseconds(tick)} instead`;
  return { ...timer, period: tick, why: noCounter ?? 'perf is not to be had', shortcoming };
}

/** `0.2 ms of processor time`, `500,000 instructions`. */
export const periodText = (kind: EventKind, period: number): string =>
  kind === 'instructions'
    ? `${`${period}`.replace(/\B(?=(\d{3})+$)/g, ',')} instructions`
    : `${period / 1e6} ms of processor time`;

/** That somebody has forbidden it can be mended; that there are none is how most virtual machines are. */
const uncounted = (error: Error): string =>
  isPerfForbidden(error)
    ? `hardware counters are not allowed: ${perfRemedy(error, '')}`
    : 'there are no hardware counters of instructions';

const inMicroseconds = (ns: number): string => `${ns / 1000} µs`;

const thisMachine: Machine = {
  tickNs: clockTickNs,
  hasClock: () => tryTo(() => tryEvent({ type: 'software', name: 'cpu-clock' }, 0)),
  exactness() {
    const named = ([3, 2, 1] as const).map((precise) => () => {
      tryEvent(INSTRUCTION_COUNTER, precise);
      return precise;
    });
    return [...named, requireCounting]
      .map((attempt) => tryTo<number>(attempt))
      .reduce((best, next) => (best.ok ? best : next));
  },
};

const INSTRUCTION_COUNTER: PerfEvent = { type: 'hardware', name: 'instructions' };

function tryEvent(event: PerfEvent, precise: 0 | 1 | 2 | 3): void {
  const every = { events: 1_000_000 };
  closeEvent(openEvent({ event, precise, every, target: 0, sample: SampleField.instruction }));
}

/** In some virtual machines the counter opens, and stands still. */
function requireCounting(): 0 {
  const event = openEvent({ event: INSTRUCTION_COUNTER, target: 0 });
  try {
    if (readCount(event) === 0n) throw new Error('the instruction counter counts nothing');
    return 0;
  } finally {
    closeEvent(event);
  }
}
