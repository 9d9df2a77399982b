/**
 * `--window 10s --every 10m`: sampling is on for the first ten seconds of each ten minutes.
 *
 *   const windows = new Windows({ lengthMs: 10_000, everyMs: 600_000 }, (on) => control.switch(on));
 *   windows.begin();
 *   windows.end();       // leaves it as it is
 */
export interface WindowTimes {
  readonly lengthMs: number;
  readonly everyMs: number;
}

export class Windows {
  readonly #times: WindowTimes;
  readonly #turn: (on: boolean) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(times: WindowTimes, turn: (on: boolean) => void) {
    this.#times = times;
    this.#turn = turn;
  }

  /** The first window begins at once. */
  begin(): void {
    const { lengthMs, everyMs } = this.#times;
    this.#turn(true);
    this.#after(lengthMs, () => {
      this.#turn(false);
      this.#after(everyMs - lengthMs, () => this.begin());
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #after(milliseconds: number, act: () => void): void {
    this.#timer = setTimeout(act, milliseconds);
    // The program's end is what is waited for.
    this.#timer.unref();
  }
}
