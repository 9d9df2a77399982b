/**
 * What the HTML report draws of a recording besides its races: lanes, what was done in them, and what leads from
 * one to another. Each engine that keeps a recording makes one (`picture.ts` in its folder); all are drawn alike.
 *
 *   lanes     make ●──●─────────────●        a lane for each process or thread
 *   marks     sh      ●──●──●                 each thing that was done, at its place in the order
 *   links     fork, wait: from a mark to one in another lane
 *   bars      ▬▬▬▬ a lock that is held, a program that runs
 *
 * Columns of numbers rather than objects, since there may be a hundred thousand marks; a text that is needed
 * often is kept once, in `texts`, and named by its number. Marks come in the order of their events.
 */

/** How a mark looks; the page has a shape for each, so that nobody needs colours to tell them apart. */
export const SHAPES = [
  'call',
  'failed',
  'birth',
  'end',
  'signal',
  'wait',
  'access',
  'lock',
] as const;
export type Shape = (typeof SHAPES)[number];

export const LINKS = ['birth', 'wait', 'message'] as const;
export type LinkKind = (typeof LINKS)[number];

export interface Lane {
  /** `cc1`, `worker#2` */
  readonly name: string;
  /** `14`: what tells it from others of that name. */
  readonly number: string;
  /** For whom there is room: its command line, or where its thread began. */
  readonly about?: string | undefined;
  /** Place of the lane that it was created by, always an earlier one. */
  readonly parent?: number | undefined;
}

export interface Marks {
  /** Numbers of the events, ascending; `Access.event` names one of these. */
  readonly event: readonly number[];
  readonly lane: readonly number[];
  readonly shape: readonly number[];
  readonly text: readonly number[];
  /** How many marks ago it began; 0 unless it took a while. */
  readonly span: readonly number[];
  /** In microseconds from the first one: when it ended, and how long it took. Empty if nobody has looked. */
  readonly ended: readonly number[];
  readonly took: readonly number[];
}

/** Marks by their places. */
export interface Links {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly kind: readonly number[];
}

/** From one mark to another, both of the same lane. */
export interface Bar {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

export interface Picture {
  readonly lanes: readonly Lane[];
  readonly texts: readonly string[];
  readonly marks: Marks;
  readonly links: Links;
  readonly bars: readonly Bar[];
  /** Of a recording that is too long: how many of its events are not here. */
  readonly leftOut: number;
  /** By race: for each of its accesses, the locks that its thread held. */
  readonly held?: Readonly<Record<string, readonly (readonly string[])[]>> | undefined;
}
