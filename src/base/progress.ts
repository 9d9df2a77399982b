/**
 * How far long work has come, told by the loop that does it to whoever shows it, without a function being handed
 * through all that is between:
 *
 *   for (const [done, chunk] of chunks.entries()) {
 *     tellProgress('chunks read', done, chunks.length);
 *     …
 *
 *   listenToProgress(({ doing, done, total }) => …)      // 'chunks read', 12, 40
 *
 * If nobody listens it costs a comparison; those who do are not told more often than they can see. Work in a thread
 * (in-thread.ts) tells whoever listens in the main one. It is for people alone: nothing may hang on it.
 */
export interface Progress {
  /** What is counted: `functions copied`. With a total of 0, what is waited for. */
  readonly doing: string;
  readonly done: number;
  /** 0 if nobody knows. */
  readonly total: number;
}

const OFTEN_MS = 50;

/** undefined: it is over, or somebody else has the terminal now. */
type Listener = (progress: Progress | undefined) => void;

let listener: Listener | undefined;
let last = '';
let lastAt = 0;

export function tellProgress(doing: string, done: number, total: number): void {
  if (listener === undefined) return;
  const now = performance.now();
  if (doing === last && now - lastAt < OFTEN_MS) return;
  last = doing;
  lastAt = now;
  listener({ doing, done, total });
}

/** Goes through a list that is so long that even to ask for the time at each of its items would take time. */
export function* tellingOf<T>(doing: string, items: readonly T[]): Generator<T, void> {
  for (let place = 0; place < items.length; place++) {
    if (place % TELL_EVERY === 0) tellProgress(doing, place, items.length);
    yield items[place]!;
  }
}

const TELL_EVERY = 256;

/** What was told of is done. What is shown of it goes, which the next one may not be long enough for. */
export function endProgress(): void {
  if (last === '') return;
  last = '';
  listener?.(undefined);
}

/** Until what is returned is called. */
export function listenToProgress(tell: Listener): () => void {
  const before = listener;
  listener = tell;
  last = '';
  return () => {
    listener = before;
  };
}
