/**
 * How the watching goes, on stderr: a line that is written over and over on a terminal, or with --verbose a line
 * every ten seconds.
 *
 *   48 hits/s of 50, 950 windows, 2 races, 64 breakpoints; threads held 5.1% of the time, own work 2.0%; 12 s left
 */
import { cut } from '../base/display-width.ts';
import type { WatchSettings } from '../watch/settings.ts';
import type { OnlookersView } from '../watch/watch-target.ts';
import { counted } from './counted.ts';
import type { Terminal } from './terminal.ts';
import { widthOf } from './terminal-width.ts';

const REDRAW_MS = 500;
const LINE_MS = 10_000;
const CLEAR_LINE = '\r\x1b[K';

/** Until what is returned is called. */
export function liveFigures(
  view: OnlookersView,
  watching: Watching,
  terminal: Terminal,
  isVerbose: boolean,
): () => void {
  if (!terminal.showsProgress && !isVerbose) return () => {};
  const figures = new RecentFigures(view, watching);
  const draw = terminal.showsProgress
    ? (): boolean =>
        process.stderr.write(`${CLEAR_LINE}${cut(figures.text(), widthOf(process.stderr) - 1)}`)
    : (): boolean => process.stderr.write(`deadheat: ${figures.text()}\n`);
  const timer = setInterval(draw, terminal.showsProgress ? REDRAW_MS : LINE_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (terminal.showsProgress) process.stderr.write(CLEAR_LINE);
  };
}

interface Watching {
  readonly settings: WatchSettings;
  /** After which it ends, if the user has said so. */
  readonly durationMs: number | undefined;
}

class RecentFigures {
  readonly #view: OnlookersView;
  readonly #watching: Watching;
  readonly #since = performance.now();
  #hits = 0;
  #at = this.#since;

  constructor(view: OnlookersView, watching: Watching) {
    this.#view = view;
    this.#watching = watching;
  }

  text(): string {
    const { loop, caught } = this.#view;
    const { hits, windows, planted } = loop.figures;
    const now = performance.now();
    const rate = ((hits - this.#hits) / Math.max(now - this.#at, 1)) * 1000;
    this.#hits = hits;
    this.#at = now;
    const { held, own } = loop.figures.overhead(now);
    return [
      `${Math.round(rate)} hits/s of ${this.#watching.settings.rate}`,
      counted(windows, 'window'),
      counted(caught.size, 'race'),
      `${counted(planted, 'breakpoint')}; threads held ${percent(held)} of the time, own work ${percent(own)}${this.#left(now)}`,
    ].join(', ');
  }

  #left(now: number): string {
    const { durationMs } = this.#watching;
    if (durationMs === undefined) return '';
    return `; ${Math.max(0, Math.ceil((this.#since + durationMs - now) / 1000))} s left`;
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
