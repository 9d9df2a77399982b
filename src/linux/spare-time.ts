/**
 * Whether a processor has nothing to do, or nothing but our own work. From /proc/uptime, whose second
 * number is the idle seconds of all processors together:
 *
 *   100.00 150.00  →  100.20 150.38     in 0.2 seconds 1.9 of the processors were idle
 *
 * A busy machine may still look idle for as long as one look is good for.
 */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 200;
/** Processors; a little less than one, since the kernel counts coarsely. */
const ENOUGH = 0.9;

export class SpareTime {
  #at = performance.now();
  #unused = unusedMs();
  #isThere = false;

  isThere(): boolean {
    const passed = performance.now() - this.#at;
    if (passed < LOOK_EVERY_MS) return this.#isThere;
    const unused = unusedMs();
    this.#isThere = (unused - this.#unused) / passed > ENOUGH;
    this.#at += passed;
    this.#unused = unused;
    return this.#isThere;
  }
}

/** The time that processors were idle, or ours. */
function unusedMs(): number {
  const idle = Number(readFileSync('/proc/uptime', 'latin1').split(' ')[1]) * 1000;
  const { user, system } = process.cpuUsage();
  return idle + (user + system) / 1000;
}
