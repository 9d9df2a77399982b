/** What the timeline shows right now: which lanes, which part, what was found. Drawing and keys ask it. */
import { firstIndex } from '../../src/base/bisect.ts';
import { sidesOf } from '../../src/report/both-orders.ts';
import type { Picture } from '../../src/report/html/picture.ts';
import type { Race } from '../../src/report/model.ts';
import { type Axis, type AxisKind, axisOf } from './axis.ts';
import { isUnderFolded, type Rows, rowsOf, withAncestors } from './rows.ts';
import { fitted, kept, moved, type View, type Whole, xOf, zoomed } from './view.ts';

/** As many lanes as can be looked at at once. */
const FEW_LANES = 12;

export interface RacingMark {
  readonly place: number;
  readonly side: number;
}

export class TimelineModel {
  readonly picture: Picture;
  readonly racing: readonly RacingMark[];
  /** The lanes of the race, with those that lead there. */
  readonly #ofRace: ReadonlySet<number>;
  readonly #folded = new Set<number>();
  showsAll: boolean;
  kind: AxisKind = 'order';
  rows!: Rows;
  axis!: Axis;
  view: View = { left: 0, scale: 1 };
  width = 800;
  selected: number | undefined;
  /** A mark whose row is to be scrolled into sight. */
  sought: number | undefined;
  /** Marks that were looked for, ascending. */
  found: readonly number[] = [];
  /** By row: its own marks, and those that are folded into it. */
  own: number[][] = [];
  others: number[][] = [];

  constructor(picture: Picture, race: Race) {
    this.picture = picture;
    const { event, lane } = picture.marks;
    this.racing = sidesOf(race).flatMap(({ access, index }) => {
      if (access.event === undefined) return [];
      const place = firstIndex(event, (one) => one >= access.event!);
      return event[place] === access.event ? [{ place, side: index }] : [];
    });
    this.#ofRace = withAncestors(
      picture.lanes,
      this.racing.map(({ place }) => lane[place]!),
    );
    this.showsAll = picture.lanes.length <= FEW_LANES || this.#ofRace.size === 0;
    this.arrange();
  }

  get whole(): Whole {
    return { end: this.axis.end, width: this.width };
  }

  get hasTimes(): boolean {
    return this.picture.marks.ended.length > 0;
  }

  get canFold(): boolean {
    return this.#ofRace.size > 0 && this.#ofRace.size < this.picture.lanes.length;
  }

  rowOf(place: number): number {
    return this.rows.rowOf[this.picture.marks.lane[place]!]!;
  }

  /** The lane that a step is seen in: its own, or the one that this is folded into. */
  laneShown(place: number): number {
    return this.rows.rows[this.rowOf(place)]?.lane ?? this.picture.marks.lane[place]!;
  }

  x(place: number): number {
    return xOf(this.view, this.axis.positions[place]!);
  }

  /** Around the race, or everything if there is none to be seen. */
  showRace(): void {
    const positions = this.racing.map(({ place }) => this.axis.positions[place]!);
    if (positions.length === 0) return this.showWhole();
    const [from, to] = [Math.min(...positions), Math.max(...positions)];
    const least = this.kind === 'order' ? 14 : 200;
    const room = Math.max((to - from) * 0.2, (least - (to - from)) / 2);
    this.view = kept(fitted(from - room, to + room, this.width), this.whole);
    this.sought = this.racing[0]?.place;
  }

  showWhole(): void {
    this.view = fitted(0, this.axis.end, this.width);
  }

  zoom(factor: number, x = this.width / 2): void {
    this.view = zoomed(this.view, x, factor, this.whole);
  }

  move(pixels: number): void {
    this.view = moved(this.view, pixels, this.whole);
  }

  /** Brings a mark into sight. */
  show(place: number): void {
    this.selected = place;
    this.sought = place;
    const x = this.x(place);
    if (x < 40 || x > this.width - 120) this.move(x - this.width / 2);
  }

  setShowsAll(value: boolean): void {
    this.showsAll = value;
    this.#rearranged();
  }

  setKind(kind: AxisKind): void {
    this.kind = kind;
    this.arrange();
    this.showRace();
  }

  toggleFolded(lane: number): void {
    if (!this.#folded.delete(lane)) this.#folded.add(lane);
    this.#rearranged();
  }

  isFolded(lane: number): boolean {
    return this.#folded.has(lane);
  }

  /** The marks whose texts have the words, whatever their case. */
  find(text: string): void {
    const wanted = text.trim().toLowerCase();
    const { texts, marks } = this.picture;
    const matching = texts.map((one) => wanted !== '' && one.toLowerCase().includes(wanted));
    this.found = marks.text.flatMap((number, place) => (matching[number] ? [place] : []));
  }

  /** Of what was found, or of the steps of the same row: the next one after what is selected. */
  next(by: 1 | -1): void {
    const at = this.selected ?? this.racing[0]?.place ?? -1;
    const row = this.rows.rowOf[this.picture.marks.lane[at] ?? 0] ?? 0;
    const among = this.found.length > 0 ? this.found : (this.own[row] ?? []);
    const after = firstIndex(among, (place) => place > at);
    const index = by > 0 ? after : firstIndex(among, (place) => place >= at) - 1;
    const place = among[(index + among.length) % among.length];
    if (place === undefined) return;
    // A match in a lane that is not shown is no use.
    if (this.rowOf(place) < 0) this.setShowsAll(true);
    this.show(place);
  }

  #rearranged(): void {
    this.arrange();
    this.showRace();
  }

  arrange(): void {
    const { lanes, marks } = this.picture;
    const isShown = (lane: number): boolean =>
      (this.showsAll || this.#ofRace.has(lane)) && !isUnderFolded(lanes, this.#folded, lane);
    this.rows = rowsOf(lanes, isShown);
    this.axis = axisOf(this.kind, marks, isShown);
    this.own = this.rows.rows.map(() => []);
    this.others = this.rows.rows.map(() => []);
    for (let place = 0; place < marks.lane.length; place++) {
      const lane = marks.lane[place]!;
      const row = this.rows.rowOf[lane]!;
      if (row >= 0) (this.rows.rows[row]!.lane === lane ? this.own : this.others)[row]!.push(place);
    }
  }
}
