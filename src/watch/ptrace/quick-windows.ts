/**
 * Windows by linux/quick-look.ts, in the watch loop's words: it waits for those who come to breakpoints, and mostly
 * their windows are over when we hear of them.
 *
 *   over     nothing has happened in it, and the thread has gone on: it is only told
 *   open     something else has: from here on the watch is like any other, and the thread is held
 */
import type { Tid } from '../../linux/ids.ts';
import type { LookAnswer, LookWindow, OpenLookWindow } from '../../linux/quick-look.ts';
import type { QuietWindow, TargetEvent, WindowPlan } from '../debug-target.ts';
import { piecesWatched } from '../watched-access.ts';
import type { SampledCode } from './sampled-code.ts';
import type { ThreadWatchpoints } from './thread-watchpoints.ts';

export interface Looked extends Pick<LookAnswer, 'end' | 'stop'> {
  readonly events: readonly TargetEvent[];
  /** Who stands in a window that is open. */
  readonly holder: Tid | undefined;
}

export class QuickWindows {
  readonly #code: SampledCode;
  readonly #watchpoints: ThreadWatchpoints;

  constructor(code: SampledCode, watchpoints: ThreadWatchpoints) {
    this.#code = code;
    this.#watchpoints = watchpoints;
  }

  /** Until somebody stops, or that time; nobody is held. undefined if it is not to be had. */
  look(threads: ReadonlySet<Tid>, deadline: number, plan: WindowPlan): Looked | undefined {
    const { planted, quick: places } = this.#code;
    if (!places.look?.canWatch(threads.size) || threads.size < 2) return undefined;
    const watch = this.#watchpoints.forQuick?.(threads);
    if (watch === undefined) return undefined;
    const began = performance.now();
    const unwritten = planted.takeUnwritten();
    const { end, stop, written, over, open, passed } = places.look.look({
      ...watch,
      unwritten: unwritten.map(([address, from]) => ({ address, atMs: from - began })),
      ...{ untilMs: deadline - began, fromMs: plan.from - began },
      ...{ everyMs: plan.everyMs, savedMs: plan.savedMs, windowMs: plan.windowMs },
    });
    planted.putOff(unwritten.slice(written));
    const events: TargetEvent[] = [];
    if (over.length > 0 || passed.length > 0) {
      const windows = over.map((window) => quietWindow(window, began));
      events.push({ kind: 'quiet', windows, passed });
    }
    if (open !== undefined) events.push(this.#opened(open, watch.word, began));
    for (const { address } of over) planted.wasPutBack(address);
    for (const address of passed) planted.wasPutBack(address);
    return { end, stop, events, holder: open?.holder };
  }

  #opened(window: OpenLookWindow, word: bigint, began: number): TargetEvent {
    const { address, holder, registers, touched, before, size, isStore, events } = window;
    this.#code.planted.wasPutBack(address);
    const request = { ...piecesWatched(touched, size, isStore), holder };
    const watch = this.#watchpoints.adopt!(request, word, events);
    const [heldSince, openedAt] = [began + window.hitMs, began + window.openMs];
    const opened = { touched, before, heldSince, openedAt, watch };
    return { kind: 'breakpoint', runner: holder, address, registers, window: opened };
  }
}

function quietWindow(window: LookWindow, began: number): QuietWindow {
  const { holder, address, registers, touched } = window;
  const [heldSince, openedAt] = [began + window.hitMs, began + window.openMs];
  const overAt = began + window.overMs;
  return { runner: holder, address, registers, touched, heldSince, openedAt, overAt };
}
