/**
 * What all those share who make a program follow a course: who is there, and how far they have come.
 *
 *   make   fork₀ fork₁ | wait₄      two of its items are inside: after fork₁ it is left to itself
 *   sh     mkdir₂ | stat₃           stat₃ is an anchor: sh is not left to itself before it has come there
 */
import type { Pid } from '../../linux/ids.ts';
import type { Course } from './course.ts';
import type { Player } from './player.ts';
import { Players } from './players.ts';
import { Progress } from './progress.ts';
import type { RecordedNumbers } from './recorded-numbers.ts';
import type { Item } from './script.ts';
import { Straying } from './straying.ts';

export class Stage {
  readonly course: Course;
  readonly progress: Progress;
  readonly players = new Players();
  readonly straying = new Straying();
  /** The processes that have several tasks. */
  readonly threaded: ReadonlySet<Pid>;
  /** Which numbers processes get; undefined if nobody can choose them. */
  numbers: RecordedNumbers | undefined;
  /** Everybody has been let go. */
  isLive = false;

  constructor(course: Course) {
    this.course = course;
    this.progress = new Progress(course);
    const threads = course.script.tasks.filter(({ start }) => start.how === 'thread');
    this.threaded = new Set(threads.map(({ start }) => start.pid));
  }

  /** Nothing is followed any more: we got through, or went astray. */
  get isOver(): boolean {
    return this.isLive || this.straying.divergence !== undefined;
  }

  isAnchor(item: Item): boolean {
    return this.course.anchors.includes(item);
  }

  /** It has done all that it was to do before everybody is let go, and waits for that. */
  isLeftToItself(player: Player): boolean {
    const { inside } = this.course;
    if (!inside || player.done < (inside.get(player.script) ?? 0)) return false;
    const { nextAction } = player;
    return !nextAction || this.progress.isDone(nextAction) || !this.isAnchor(nextAction);
  }

  /** What it has to do next but for receiving signals; undefined if that is its own business. */
  nextActionOf(player: Player): Item | undefined {
    return this.isLeftToItself(player) ? undefined : player.nextAction;
  }
}
