/**
 * A program that is being sampled, as it is seen from outside: what it has been told, what it has counted, and who
 * belongs to it. Both the deadheat that has started it and one that comes later (`--pid`) have this view.
 */
import { readdirSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import type { AgentChannel, AgentHello, AgentRecord } from '../linux/agent-channel.ts';
import { type Pid, tid } from '../linux/ids.ts';
import { isRunning } from '../linux/running-process.ts';
import type { SamplingControl, SamplingEventOption } from '../linux/sampling-control.ts';
import { wakeSampled } from '../linux/sampling-signal.ts';
import type { CostFigures } from './budget.ts';
import type { ChosenEvent, EventKind } from './choose-event.ts';
import type { Steered } from './steering.ts';

/** All that the agent has said so far. */
type Records = Pick<AgentChannel, 'records' | 'lost' | 'close'>;

export class RunningSamples implements Steered {
  /** Where its logs are. */
  readonly folder: string;
  readonly #control: SamplingControl;
  readonly #channel: Records;
  /** What this side has set last. */
  #ownPeriod: number;

  constructor(folder: string, control: SamplingControl, channel: Records) {
    this.folder = folder;
    this.#control = control;
    this.#channel = channel;
    this.#ownPeriod = control.period;
  }

  get on(): boolean {
    return this.#control.on;
  }

  get period(): number {
    return this.#control.period;
  }

  /**
   * By the budget. One that somebody else has given meanwhile (`--pid PID --period 200us start`) was meant, and stays:
   * from then on this changes nothing.
   */
  set period(period: number) {
    if (this.#control.period !== this.#ownPeriod) return;
    this.#control.period = period;
    this.#ownPeriod = this.#control.period;
  }

  /** As of now: others may have chosen another one than that of the start. */
  get kind(): EventKind {
    if (this.#control.isTimer) return 'timer';
    return this.#control.isCounted ? 'instructions' : 'cpu-clock';
  }

  get missed(): number {
    return this.#control.figures().missed;
  }

  get logBytes(): number {
    return this.#control.figures().logged;
  }

  /** Bytes of what the agent said that did not fit. */
  get lost(): number {
    return this.#channel.lost;
  }

  /** How many threads of each process have a log, by its number in the run. */
  threads(): Record<string, number> {
    const counts = new Map<string, number>();
    for (const name of readdirSync(encodeBytes(this.folder), 'utf8')) {
      const process = LOG.exec(name)?.[1];
      if (process !== undefined) counts.set(process, (counts.get(process) ?? 0) + 1);
    }
    return Object.fromEntries(counts);
  }

  use(event: ChosenEvent): void {
    this.#control.use(eventOption(event), event.period);
    this.#ownPeriod = this.#control.period;
  }

  /** How many processes were told. */
  switch(on: boolean): number {
    this.#control.on = on;
    return this.processes().filter(wasTold).length;
  }

  figures(): Omit<CostFigures, 'processorNs'> {
    const { logged: _, missed: __, ...figures } = this.#control.figures();
    return figures;
  }

  records(): AgentRecord[] {
    return [...this.#channel.records()];
  }

  /** Those that still run. */
  processes(): Pid[] {
    const hellos = this.records().filter((one): one is AgentHello => one.kind === 'hello');
    return [...new Set(hellos.map(({ pid }) => pid))].filter((pid) => isRunning(tid(pid)));
  }

  close(): void {
    this.#control.close();
    this.#channel.close();
  }
}

/** One that ends just now need not be. */
function wasTold(process: Pid): boolean {
  const woken = tryTo(() => wakeSampled(process));
  return woken.ok && woken.value;
}

/** `2-1.log`: the first thread of the second process. */
const LOG = /^(\d+)-\d+\.log$/;

/** As the control file has it. */
export const eventOption = ({ perf }: ChosenEvent): SamplingEventOption =>
  perf === undefined ? { kind: 'timer' } : { kind: 'perf', ...perf };
