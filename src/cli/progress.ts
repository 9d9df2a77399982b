/**
 * A progress bar with count and estimate, on stderr, for people who watch: on a terminal, and not
 * with --quiet. A thin wrapper, so that the rest of the code does not know which library draws.
 *
 *   ########............ 512/1280 functions copied (about 4 s left)
 *   .................... 0/3 races tried (7 s so far)                  before the first one is done, nobody knows
 *   starting a guest … 4 s                                             if nobody knows how much there is to do
 */
import type { Params } from 'cli-progress';
import { cut } from '../base/display-width.ts';
import { Estimate } from '../base/estimate.ts';
import { listenToProgress, type Progress } from '../base/progress.ts';
import type { Terminal } from './terminal.ts';
import { widthOf } from './terminal-width.ts';

export interface ProgressBar {
  /** With something else than before, it begins anew. */
  update(done: number, doing: string, total?: number): void;
  stop(): void;
}

const WIDTH = 20;
/** What takes no longer is not worth a line that comes and goes. */
const SHORT_MS = 500;

const SILENT: ProgressBar = { update() {}, stop() {} };

/** With a `total` of 0, it counts the seconds. */
export async function startProgress(terminal: Terminal, total: number): Promise<ProgressBar> {
  return terminal.showsProgress ? (await barsFor())(total) : SILENT;
}

/** Loaded before the work, which may never pause. */
async function barsFor(): Promise<(total: number, doing?: string) => ProgressBar> {
  const { SingleBar } = (await import('cli-progress')).default;
  const options = {
    format: lineOf,
    stream: process.stderr,
    clearOnComplete: true,
    // Ctrl-C is for others to handle; and what a terminal was told to do differently would stay so.
    gracefulExit: false,
    hideCursor: false,
    linewrap: true,
    forceRedraw: true,
  };
  return (total, doing = '') => {
    const bar = new SingleBar(options);
    let estimate = new Estimate(0);
    bar.start(total, 0, { doing });
    let shown = doing;
    return {
      update: (done, doing, total = bar.getTotal()) => {
        // An estimate for one thing is none for another.
        if (shown !== '' && doing !== shown) {
          estimate = new Estimate(done);
          bar.start(total, done, { doing });
        }
        shown = doing;
        estimate.update(done, total);
        bar.setTotal(total);
        bar.update(done, { doing, estimate });
      },
      stop: () => bar.stop(),
    };
  };
}

function lineOf(
  _: unknown,
  { progress, value, total, startTime }: Params,
  { doing, estimate }: { doing: string; estimate?: Estimate },
): string {
  const room = widthOf(process.stderr) - 1;
  const seconds = Math.round((Date.now() - Number(startTime)) / 1000);
  if (total === 0) return doing === '' ? '' : cut(`${doing} … ${seconds} s`, room);
  const done = Math.round(progress * WIDTH);
  const bar = `${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}`;
  const left = estimate?.secondsLeft();
  const soFar = seconds < 1 ? '' : ` (${seconds} s so far)`;
  const when = left === undefined ? soFar : ` (about ${left} s left)`;
  return cut(`${bar} ${value}/${total} ${doing}${when}`, room);
}

/** What long loops tell of themselves (src/base/progress.ts), while the work is done. */
export async function showingProgress<T>(
  terminal: Terminal,
  work: () => T | Promise<T>,
): Promise<T> {
  if (!terminal.showsProgress) return work();
  const begin = await barsFor();
  let bar: ProgressBar | undefined;
  let latest: Progress | undefined;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    if (latest === undefined) return;
    bar ??= begin(latest.total, latest.doing);
    bar.update(latest.done, latest.doing, latest.total);
  };
  const end = (): void => {
    clearTimeout(timer);
    bar?.stop();
    bar = undefined;
    latest = undefined;
  };
  const stopListening = listenToProgress((progress) => {
    if (progress === undefined) return end();
    if (latest === undefined) {
      since = performance.now();
      // For what tells once and waits; work that never pauses tells again.
      timer = setTimeout(show, SHORT_MS);
    }
    latest = progress;
    if (performance.now() - since >= SHORT_MS) show();
  });
  try {
    return await work();
  } finally {
    stopListening();
    end();
  }
}
