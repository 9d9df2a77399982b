/**
 * A progress bar with count and estimate, on stderr, for people who watch: on a terminal, and not
 * with --quiet. A thin wrapper, so that the rest of the code does not know which library draws.
 */
import type { Terminal } from './terminal.ts';

export interface Progress {
  update(done: number, doing: string, total?: number): void;
  stop(): void;
}

const WIDTH = 20;

const SILENT: Progress = { update() {}, stop() {} };

export async function startProgress(terminal: Terminal, total: number): Promise<Progress> {
  if (!terminal.showsProgress) return SILENT;
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    format: (_, { progress, value, total, eta }, { doing }) => {
      const done = Math.round(progress * WIDTH);
      const bar = `${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}`;
      // Before the first one is done, nobody knows.
      const left = Number.isFinite(eta) && value > 0 ? ` (about ${Math.ceil(eta)} s left)` : '';
      return `${bar} ${value}/${total} ${doing}${left}`;
    },
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    forceRedraw: true,
  });
  bar.start(total, 0, { doing: '' });
  return {
    update: (done, doing, total) => {
      if (total !== undefined) bar.setTotal(total);
      bar.update(done, { doing });
    },
    stop: () => bar.stop(),
  };
}
