/** How the watching goes: for those who look on, and for the report. */
export class Figures {
  hits = 0;
  /** Hits for which there was time to look. */
  windows = 0;
  /** Of those, how many had no debug register, so that values were compared only. */
  windowsWithoutRegister = 0;
  /** Windows in which somebody else touched the memory. */
  caught = 0;
  /** For how long runners were held, all in all. */
  heldMs = 0;
  planted = 0;
  readonly #startedAt: number;
  readonly #cpuAtStart = process.cpuUsage();

  constructor(now: number) {
    this.#startedAt = now;
  }

  seconds(now: number): number {
    return Math.max(now - this.#startedAt, 1) / 1000;
  }

  /** How much of the time runners were held, and how much of a processor we have used ourselves. */
  overhead(now: number): { readonly held: number; readonly own: number } {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const seconds = this.seconds(now);
    return { held: this.heldMs / 1000 / seconds, own: (user + system) / 1e6 / seconds };
  }
}
