/** Collects the marks, links and texts of a picture one by one. */
import {
  type Bar,
  type Lane,
  LINKS,
  type LinkKind,
  type Picture,
  SHAPES,
  type Shape,
} from './picture.ts';

export interface NewMark {
  readonly event: number;
  readonly lane: number;
  readonly shape: Shape;
  readonly text: string;
  readonly span?: number;
  /** In nanoseconds. */
  readonly time?: { readonly from: number; readonly to: number };
}

export class PictureMaker {
  readonly #texts: string[] = [];
  readonly #textNumbers = new Map<string, number>();
  readonly #marks = {
    ...{ event: [] as number[], lane: [] as number[], shape: [] as number[], text: [] as number[] },
    ...{ span: [] as number[], ended: [] as number[], took: [] as number[] },
  };
  readonly #links = { from: [] as number[], to: [] as number[], kind: [] as number[] };
  readonly #places = new Map<number, number>();
  readonly #bars: Bar[] = [];
  #start: number | undefined;

  get count(): number {
    return this.#marks.event.length;
  }

  /** Returns its place. Marks are added in the order of their events. */
  mark({ event, lane, shape, text, span = 0, time }: NewMark): number {
    const place = this.#marks.event.push(event) - 1;
    this.#places.set(event, place);
    this.#marks.lane.push(lane);
    this.#marks.shape.push(SHAPES.indexOf(shape));
    this.#marks.text.push(this.#textNumber(text));
    this.#marks.span.push(span);
    if (time === undefined) return place;
    this.#start ??= time.from;
    this.#marks.ended.push(Math.max(0, Math.round((time.to - this.#start) / 1000)));
    this.#marks.took.push(Math.max(0, Math.round((time.to - time.from) / 1000)));
    return place;
  }

  /** Between two events; left out unless both have marks. */
  link(from: number, to: number, kind: LinkKind): void {
    const [source, target] = [this.#places.get(from), this.#places.get(to)];
    if (source === undefined || target === undefined) return;
    this.#links.from.push(source);
    this.#links.to.push(target);
    this.#links.kind.push(LINKS.indexOf(kind));
  }

  bar(bar: Bar): void {
    this.#bars.push(bar);
  }

  finish(lanes: readonly Lane[], leftOut: number, held?: Picture['held']): Picture {
    const bars = this.#bars;
    return {
      lanes,
      texts: this.#texts,
      marks: this.#marks,
      links: this.#links,
      bars,
      leftOut,
      held,
    };
  }

  #textNumber(text: string): number {
    const known = this.#textNumbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.push(text) - 1;
    this.#textNumbers.set(text, number);
    return number;
  }
}
