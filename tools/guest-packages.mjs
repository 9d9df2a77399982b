/**
 * Fetches what watching a kernel takes (QEMU, busybox, a kernel and its headers: about 100 MB) into the user's cache,
 * as `deadheat watch --qemu --fetch` does. Nothing is installed, and nothing is fetched twice.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { giveUp, home, run } from './run.mjs';

/** To be called when dist/ is built. */
export async function ensureGuestPackages() {
  const parts = pathToFileURL(join(home, 'dist', 'watch', 'qemu', 'guest-parts.js')).href;
  const { findGuestParts } = await import(parts);
  /** @param {string} told */
  const fetching = (told) => console.error(`deadheat: ${told}`);
  const found = () => findGuestParts({ headers: true, fetching });
  try {
    found();
  } catch (error) {
    // Lists of packages that are too old name files that are gone.
    if (process.getuid?.() !== 0 || !run('apt-get', ['update'])) explain(error);
    try {
      found();
    } catch (again) {
      explain(again);
    }
  }
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function explain(error) {
  const { message, remedy } = /** @type {{ message: string, remedy?: string }} */ (error);
  giveUp(remedy === undefined ? message : `${message}; ${remedy}`);
}
