/**
 * Which events of a recording are drawn, if it has more than a page can hold: those around the racing ones, as
 * many around each; of ten million, no more than `most`.
 *
 *   const isDrawn = nearRaces(10_000_000, [500, 9_000_000], 200_000);
 *   isDrawn(400)  true        isDrawn(4_000_000)  false
 */
export const MOST_EVENTS = 200_000;

export function nearRaces(
  count: number,
  racing: readonly number[],
  most = MOST_EVENTS,
): (event: number) => boolean {
  if (count <= most) return () => true;
  // Without races, how it began.
  const centres = racing.length > 0 ? [...racing].sort((a, b) => a - b) : [0];
  const reach = Math.floor(most / centres.length / 2);
  let next = 0;
  return (event) => {
    if (next > 0 && event < centres[next - 1]! - reach) next = 0;
    while (next < centres.length - 1 && event > centres[next]! + reach) next++;
    return Math.abs(event - centres[next]!) <= reach;
  };
}

/** The events of the racing accesses of a report. */
export const racingEvents = (
  races: readonly { accesses: readonly { event?: number | undefined }[] }[],
): number[] => races.flatMap(({ accesses }) => accesses.flatMap(({ event }) => event ?? []));
