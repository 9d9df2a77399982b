/** `1 thread`, `12,345 events`. By hand: what knows of all languages takes longer to load than a trace to start. */
export function counted(number: number, what: string): string {
  const digits = `${number}`.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${digits} ${what}${number === 1 ? '' : 's'}`;
}
