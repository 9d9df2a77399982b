/**
 * Sees to a program while it is sampled: turns sampling on and off for windows, and keeps the period such that the
 * budget is met. All of that goes through the control file that we share with the program's processes.
 */
import type { Pid } from '../linux/ids.ts';
import { processorNsOf } from '../linux/processor-time.ts';
import type { Budget, CostFigures } from './budget.ts';
import { Windows, type WindowTimes } from './windows.ts';

/** What there is to steer with. */
export interface Steered {
  readonly on: boolean;
  period: number;
  /** In all processes. */
  switch(on: boolean): unknown;
  /** What has been counted so far. */
  figures(): Omit<CostFigures, 'processorNs'>;
  /** The program's processes so far. */
  processes(): readonly Pid[];
}

export interface SteeringOptions {
  readonly budget?: Budget | undefined;
  readonly windows?: WindowTimes | undefined;
}

const LOOK_EVERY_MS = 1000;

export class Steering {
  readonly #steered: Steered;
  readonly #budget: Budget | undefined;
  readonly #windows: Windows | undefined;
  /** Processor time by process, as of when each was last seen. */
  readonly #processorNs = new Map<Pid, number>();
  #timer: NodeJS.Timeout | undefined;
  #wasOn = false;

  constructor(steered: Steered, { budget, windows }: SteeringOptions) {
    this.#steered = steered;
    this.#budget = budget;
    this.#windows = windows && new Windows(windows, (on) => this.#switch(on));
  }

  begin(): void {
    this.#windows?.begin();
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#windows?.end();
  }

  /** Others may have turned it on meanwhile (`deadheat sample --pid`). */
  look(): void {
    const { on } = this.#steered;
    const figures = this.figures();
    if (on && this.#wasOn) {
      const period = this.#budget?.adapt(figures);
      if (period !== undefined && period !== this.#steered.period) this.#steered.period = period;
    } else this.#budget?.startFrom(figures);
    this.#wasOn = on;
  }

  figures(): CostFigures {
    for (const process of this.#steered.processes()) {
      const ns = processorNsOf(process);
      if (ns > 0) this.#processorNs.set(process, ns);
    }
    const processorNs = [...this.#processorNs.values()].reduce((sum, ns) => sum + ns, 0);
    return { ...this.#steered.figures(), processorNs };
  }

  #switch(on: boolean): void {
    this.look();
    this.#steered.switch(on);
    this.#wasOn = on;
    this.#budget?.startFrom(this.figures());
  }
}
