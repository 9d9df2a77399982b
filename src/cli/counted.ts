/** `1 thread`, `12,345 events`. By hand: what knows of all languages takes longer to load than a trace to start. */
export function counted(number: number, what: string): string {
  const digits = `${number}`.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${digits} ${what}${number === 1 ? '' : 's'}`;
}

/** `23 events of 3 threads are in threads-1`; `where`: ` in 2 processes`. */
export function eventsInRun(events: number, threads: number, run: string, where = ''): string {
  const are = events === 1 ? 'is' : 'are';
  return `${counted(events, 'event')} of ${counted(threads, 'thread')}${where} ${are} in ${run}`;
}
