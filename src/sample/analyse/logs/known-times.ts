/**
 * When everything that threads of a process did was logged. Sampling is turned off and on, a log may be damaged or
 * end too early; what happened meanwhile is not known, not even whether two threads have met. So two accesses are
 * compared only if nothing was missed between them.
 *
 *   thread 1   on ──────────── off            on ────────────
 *   thread 2   on ─────────────── off             on ────────
 *              └── window 0 ──┘               └── window 1 ──
 *
 * A thread notices that sampling was turned off, or on, when it next has something to log: so it misses nothing
 * between the first that notices and itself.
 */
import { SampledKind } from '../../../linux/agent-protocol.ts';
import type { SamplingLog } from '../../collect/sampling-log.ts';

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** In ticks: so soon after it was turned off, a thread was turned on again by itself, since it had lost something. */
const AT_ONCE = 1_000_000;

export class KnownTimes {
  readonly #gaps: Gap[] = [];
  /** Of the process: when sampling was turned off, and on. */
  readonly #offs: number[] = [];
  readonly #ons: number[] = [];
  #merged: readonly Gap[] | undefined;

  /** Follows one thread: to be called with each of its records, and `finish` then. */
  forThread(): ThreadTimes {
    return new ThreadTimes(this.#gaps, this.#offs, this.#ons);
  }

  /** Of some thread nothing is known. */
  missAll(): void {
    this.#gaps.push({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY });
  }

  get gaps(): number {
    return this.#all.length;
  }

  /** Times must not go back; undefined where something may have been missed. */
  cursor(): (time: number) => number | undefined {
    const gaps = this.#all;
    let next = 0;
    return (time) => {
      while (next < gaps.length && gaps[next]!.to <= time) next++;
      const gap = gaps[next];
      return gap !== undefined && time > gap.from ? undefined : next;
    };
  }

  get #all(): readonly Gap[] {
    this.#merged ??= this.#merge();
    return this.#merged;
  }

  #merge(): Gap[] {
    const ons = this.#ons.sort((one, other) => one - other);
    const switched = this.#offs.map((from) => ({
      from,
      to: ons.find((on) => on >= from) ?? Number.POSITIVE_INFINITY,
    }));
    const sorted = [...this.#gaps, ...switched].sort((one, other) => one.from - other.from);
    const merged: { from: number; to: number }[] = [];
    for (const { from, to } of sorted) {
      const last = merged.at(-1);
      if (last && from <= last.to) last.to = Math.max(last.to, to);
      else merged.push({ from, to });
    }
    return merged;
  }
}

export class ThreadTimes {
  readonly #gaps: Gap[];
  readonly #offs: number[];
  readonly #ons: number[];
  /** Of the last record but one of CLOCK and SWITCH. */
  #last = 0;
  #off: number | undefined;

  constructor(gaps: Gap[], offs: number[], ons: number[]) {
    this.#gaps = gaps;
    this.#offs = offs;
    this.#ons = ons;
  }

  look(log: SamplingLog): void {
    const { kind, time } = log;
    if (kind === SampledKind.DH_SAMPLED_BASE) return;
    if (log.isAfterGap) this.#gaps.push({ from: this.#last, to: time });
    if (kind === SampledKind.DH_SAMPLED_SWITCH) this.#switched(log.flags === 1, time);
    else if (kind !== SampledKind.DH_SAMPLED_CLOCK) this.#last = time;
  }

  #switched(isOn: boolean, time: number): void {
    if (!isOn) this.#off = time;
    else if (this.#off === undefined) this.#ons.push(time);
    else {
      const isByItself = time - this.#off < AT_ONCE;
      if (isByItself) this.#gaps.push({ from: this.#last, to: time });
      else {
        this.#offs.push(this.#off);
        this.#ons.push(time);
      }
      this.#off = undefined;
    }
  }

  finish(log: SamplingLog): void {
    if (this.#off !== undefined) this.#offs.push(this.#off);
    if (log.isCut) this.#gaps.push({ from: this.#last, to: Number.POSITIVE_INFINITY });
  }
}
