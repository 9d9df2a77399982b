/** What may be changed while a program is watched: by its control file, or by keys. */
export interface WatchSettings {
  /** Hits a second. */
  rate: number;
  windowMs: number;
  /** Names of functions to sample; undefined: all. */
  functions: RegExp | undefined;
}

export const USUAL_RATE = 50;
export const USUAL_WINDOW_MS = 1;
/** To stop and go on takes a guest milliseconds, and its processors are emulated. */
export const USUAL_WINDOW_IN_GUEST_MS = 20;
export const HIGHEST_RATE = 100_000;
export const LONGEST_WINDOW_MS = 10_000;
