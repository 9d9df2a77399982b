/**
 * A progress bar with count and estimate, on stderr, for people who watch: on a terminal, and not
 * with --quiet. A thin wrapper, so that the rest of the code does not know which library draws.
 */
import type { Terminal } from './terminal.ts';

export interface Progress {
  update(done: number, doing: string, total?: number): void;
  stop(): void;
}

const SILENT: Progress = { update() {}, stop() {} };

export async function startProgress(terminal: Terminal, total: number): Promise<Progress> {
  if (!terminal.showsProgress) return SILENT;
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    format: '{bar} {value}/{total} {doing} (about {eta_formatted} left)',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    barsize: 20,
    barCompleteChar: '#',
    barIncompleteChar: '.',
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
