/**
 * Which part of the timeline is seen, and where on the screen it is. Positions are whatever the axis counts,
 * marks or microseconds; `left` is the one at the left edge.
 *
 *   const view = fitted(100, 200, 800);      positions 100 to 200 fill 800 pixels
 *   xOf(view, 150)                           400
 *   zoomed(view, 400, 2, whole)              150 stays where it is, 125 comes to the left edge
 */
export interface View {
  readonly left: number;
  /** Pixels for each position. */
  readonly scale: number;
}

/** What there is: from 0 to `end`, `width` pixels wide. */
export interface Whole {
  readonly end: number;
  readonly width: number;
}

const LARGEST_SCALE = 220;

export const xOf = ({ left, scale }: View, position: number): number => (position - left) * scale;
export const positionAt = ({ left, scale }: View, x: number): number => left + x / scale;

export function fitted(from: number, to: number, width: number): View {
  const scale = Math.min(LARGEST_SCALE, width / Math.max(1e-9, to - from));
  const middle = (from + to) / 2;
  return { left: middle - width / scale / 2, scale };
}

export function zoomed(view: View, x: number, factor: number, whole: Whole): View {
  const smallest = Math.min(LARGEST_SCALE, (whole.width / Math.max(1, whole.end)) * 0.95);
  const scale = Math.min(LARGEST_SCALE, Math.max(smallest, view.scale * factor));
  return kept({ left: positionAt(view, x) - x / scale, scale }, whole);
}

export function moved(view: View, pixels: number, whole: Whole): View {
  return kept({ ...view, left: view.left + pixels / view.scale }, whole);
}

/** Never so far away that nothing is seen. */
export function kept({ left, scale }: View, { end, width }: Whole): View {
  const room = width / scale / 2;
  return { left: Math.max(-room, Math.min(end - room, left)), scale };
}
