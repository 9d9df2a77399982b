/**
 * Work of which nothing is known but how long it may take, told as seconds of so many:
 *
 *   ########............ 7/18 seconds of the guest's start (about 11 s left)
 *
 * What takes longer than expected is about to end from then on.
 */
import { endProgress, tellProgress } from './progress.ts';

const EVERY_MS = 500;

/** `doing` is asked each time, since it may say more than that time passes. */
export async function tellingSeconds<T>(
  doing: () => string,
  expectedMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const tell = (): void => {
    const seconds = Math.floor((performance.now() - began) / 1000);
    tellProgress(doing(), seconds, Math.max(Math.ceil(expectedMs / 1000), seconds + 1));
  };
  tell();
  const timer = setInterval(tell, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    endProgress();
  }
}
