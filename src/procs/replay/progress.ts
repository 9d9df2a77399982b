/** How far a course has been followed: which of its items are done, and which may come next. */
import { tellProgress } from '../../base/progress.ts';
import { type Course, insideOf } from './course.ts';
import type { Item } from './script.ts';

export class Progress {
  readonly #course: Course;
  readonly #inside: ReadonlySet<Item>;
  readonly #done = new Set<Item>();
  /** Let go, and not to be waited for. */
  readonly #passed = new Set<Item>();
  /** How many of those inside are neither done nor passed. */
  #left: number;

  constructor(course: Course) {
    this.#course = course;
    this.#inside = insideOf(course);
    this.#left = this.#inside.size;
  }

  /** Whether all that comes before the anchors is behind us. */
  get isAtAnchors(): boolean {
    return this.#left === 0;
  }

  /** What has not come yet of all that comes before the anchors. */
  get missing(): Item | undefined {
    for (const item of this.#inside) if (!this.isBehindUs(item)) return item;
    return undefined;
  }

  isInside(item: Item): boolean {
    return this.#inside.has(item);
  }

  settle(item: Item): void {
    this.#count(item);
    this.#done.add(item);
  }

  /** Nobody waits for it any longer. */
  pass(item: Item): void {
    this.#count(item);
    this.#passed.add(item);
  }

  isDone(item: Item): boolean {
    return this.#done.has(item);
  }

  isPassed(item: Item): boolean {
    return this.#passed.has(item);
  }

  isBehindUs(item: Item): boolean {
    return this.#done.has(item) || this.#passed.has(item);
  }

  /** Whether all that it has to wait for is behind us. */
  isReady(item: Item): boolean {
    return this.missingBefore(item) === undefined;
  }

  /** Something that it has to wait for; `except` what does not count. */
  missingBefore(item: Item, except = (_: Item): boolean => false): Item | undefined {
    const earlier = this.#course.dependencies.get(item);
    return earlier?.find((one) => this.#inside.has(one) && !this.isBehindUs(one) && !except(one));
  }

  #count(item: Item): void {
    if (!this.#inside.has(item) || this.isBehindUs(item)) return;
    this.#left--;
    const { size } = this.#inside;
    tellProgress('recorded steps followed', size - this.#left, size);
  }
}
