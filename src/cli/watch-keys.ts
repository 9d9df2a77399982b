/**
 * Keys while a process is watched that has a terminal of its own, or none: + and - change the rate by half of
 * it, q ends. Without a terminal nothing is read.
 */
import { HIGHEST_RATE, type WatchSettings } from '../watch/settings.ts';

const CTRL_C = '\x03';
const LOWEST_RATE = 1;
const STEP = 1.5;

/** Until what is returned is called. */
export function followKeys(settings: WatchSettings, end: () => void): () => void {
  const { stdin } = process;
  if (stdin.isTTY !== true) return () => {};
  const listen = (data: Buffer): void => {
    for (const key of data.toString()) {
      if (key === '+') settings.rate = Math.min(HIGHEST_RATE, Math.round(settings.rate * STEP));
      else if (key === '-') settings.rate = Math.max(LOWEST_RATE, Math.round(settings.rate / STEP));
      else if (key === 'q') end();
      // The terminal makes no signals of keys while they are read one by one.
      else if (key === CTRL_C) process.kill(process.pid, 'SIGINT');
    }
  };
  stdin.setRawMode(true);
  stdin.on('data', listen);
  stdin.resume();
  return () => {
    stdin.off('data', listen);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
