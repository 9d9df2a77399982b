/** Text in a canvas, cut off where there is no more room; its font has characters of one width. */
export const CHARACTER = 6.7;

export function drawLabel(
  on: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  room: number,
): void {
  const most = Math.floor(room / CHARACTER);
  on.fillText(text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`, x, y - 0.5);
}
