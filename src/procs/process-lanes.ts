/**
 * The lanes of a picture of processes: one for each life of a process (a number may be used again), children
 * below those who made them, in the order of their births.
 *
 *   make 3
 *   ├ sh 4
 *   │ └ mkdir 8
 *   └ sh 5
 */
import { shellLine } from '../base/shell-line.ts';
import type { Tid } from '../linux/ids.ts';
import type { Bar, Lane } from '../report/html/picture.ts';
import { beginningOf, type Step } from './detect/step.ts';
import type { Life, TaskHistory } from './detect/task-history.ts';

export class ProcessLanes {
  readonly all: readonly Lane[];
  readonly #tasks: TaskHistory;
  readonly #places = new Map<Life, number>();
  readonly #unknown: number;

  /** `steps`: those that are drawn. */
  constructor(tasks: TaskHistory, steps: readonly Step[]) {
    this.#tasks = tasks;
    const lives = this.#withAncestors(steps);
    for (const life of this.#asTree(lives)) this.#places.set(life, this.#places.size);
    this.#unknown = this.#places.size;
    const known = [...this.#places.keys()].map((life) => this.#lane(life));
    const hasUnknown = steps.some((step) => this.#lifeOf(step) === undefined);
    this.all = hasUnknown ? [...known, { name: '?', number: '' }] : known;
  }

  /** The place of the lane that a step belongs into. */
  of(step: Step): number {
    const life = this.#lifeOf(step);
    return (life && this.#places.get(life)) ?? this.#unknown;
  }

  /** A bar for each program that a process has run, from its first mark to its last. */
  programs(steps: readonly Step[]): Bar[] {
    const bars: { lane: number; from: number; to: number; label: string }[] = [];
    const current = new Map<number, (typeof bars)[number]>();
    for (const [place, step] of steps.entries()) {
      const lane = this.of(step);
      const label = this.#tasks.programAt(step.task, beginningOf(step)).name;
      const bar = current.get(lane);
      if (bar?.label === label) bar.to = place;
      else {
        const fresh = { lane, from: place, to: place, label };
        current.set(lane, fresh);
        bars.push(fresh);
      }
    }
    return bars;
  }

  #withAncestors(steps: readonly Step[]): Set<Life> {
    const lives = new Set<Life>();
    for (const step of steps) {
      let life = this.#lifeOf(step);
      while (life && !lives.has(life)) {
        lives.add(life);
        life = this.#parentOf(life);
      }
    }
    return lives;
  }

  #asTree(lives: ReadonlySet<Life>): Life[] {
    const children = new Map<Life | undefined, Life[]>();
    for (const life of [...lives].sort((a, b) => a.from - b.from)) {
      const parent = this.#parentOf(life);
      const siblings = children.get(parent);
      if (siblings) siblings.push(life);
      else children.set(parent, [life]);
    }
    const sorted: Life[] = [];
    const open = (children.get(undefined) ?? []).toReversed();
    for (let life = open.pop(); life; life = open.pop()) {
      sorted.push(life);
      open.push(...(children.get(life) ?? []).toReversed());
    }
    return sorted;
  }

  #lane(life: Life): Lane {
    const { program } = life.programs.at(-1)!;
    const parent = this.#parentOf(life);
    const place = parent && this.#places.get(parent);
    return {
      name: program.name,
      number: String(life.ownPid),
      about: shellLine(program.command),
      ...(place !== undefined && { parent: place }),
    };
  }

  /** Of the process, not of the thread. */
  #lifeOf(step: Step): Life | undefined {
    const at = beginningOf(step);
    const process = step.process as number as Tid;
    return this.#tasks.lifeAt(process, at) ?? this.#tasks.lifeAt(step.task, at);
  }

  #parentOf({ parent, from }: Life): Life | undefined {
    const life = parent === undefined ? undefined : this.#tasks.lifeAt(parent, from);
    return life && (this.#tasks.lifeAt(life.pid as number as Tid, from) ?? life);
  }
}
