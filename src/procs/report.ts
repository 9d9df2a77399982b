/** From detected races to the report that all engines share. */
import { basename } from 'node:path';
import type { Access, Race, Report, Task } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import { describeStep, shownPath } from './detect/describe-step.ts';
import type { Detection } from './detect/detect.ts';
import type { DetectedRace, Participant } from './detect/race.ts';
import { beginningOf, type Step } from './detect/step.ts';
import { SurroundingsFinder } from './detect/surroundings.ts';
import type { Life, TaskHistory } from './detect/task-history.ts';
import type { Timeline } from './detect/timeline.ts';
import { toIt } from './detect/verbs.ts';
import { hintFor } from './hints/hints.ts';

/** What there is to tell. */
export interface Findings extends Detection {
  /** How many races without consequence are left out. */
  hidden: number;
}

export function buildReport(
  run: Pick<Run, 'name' | 'info'>,
  version: string,
  timeline: Timeline,
  { races, warnings, hidden }: Findings,
): Report {
  const { info } = run;
  const describe = new Describer(timeline, info.cwd);
  return {
    schema: 1,
    tool: 'deadheat',
    version,
    engine: 'procs',
    command: info.command,
    run: run.name,
    ...(info.exit && { exit: info.exit }),
    races: races.map((race, index) => describe.race(race, `R${index + 1}`)),
    tasks: describe.mentioned(),
    ...(warnings.length > 0 && { warnings }),
    stats: {
      steps: timeline.steps.length,
      tasks: timeline.tasks.count,
      ...(hidden > 0 && { withoutConsequence: hidden }),
    },
  };
}

/** Another instance of a race, told in place of the one that stands for all, and who takes part in it. */
export function describeInstance(
  { info }: Pick<Run, 'info'>,
  timeline: Timeline,
  race: DetectedRace,
  id: string,
): { race: Race; tasks: Task[] } {
  const describe = new Describer(timeline, info.cwd);
  return { race: describe.race(race, id), tasks: describe.mentioned() };
}

class Describer {
  readonly #timeline: Timeline;
  readonly #tasks: TaskHistory;
  readonly #folder: string;
  readonly #finder: SurroundingsFinder;
  readonly #mentioned = new Map<string, Task>();

  constructor(timeline: Timeline, folder: string) {
    this.#timeline = timeline;
    this.#tasks = timeline.tasks;
    this.#folder = folder;
    this.#finder = new SurroundingsFinder(timeline);
  }

  race(race: DetectedRace, id: string): Race {
    const { kind, thing, type, parts, occurrences, withoutConsequence } = race;
    const hint = hintFor(race, this.#timeline, this.#folder);
    return {
      id,
      kind,
      verdict: 'detected',
      title: this.#title(race),
      object: { type, name: thing.name },
      // The report tells the later side first, as ThreadSanitizer does.
      accesses: parts.map((part) => this.#access(part)).reverse(),
      order: this.#order(race),
      ...(withoutConsequence && { benign: withoutConsequence }),
      ...(hint !== undefined && { hint }),
      occurrences,
    };
  }

  /** The tasks of all races so far, each with its ancestors. */
  mentioned(): Task[] {
    return [...this.#mentioned.values()];
  }

  #title({ kind, thing, parts }: DetectedRace): string {
    const object = shownPath(thing.name, this.#folder);
    const doing = ({ step, verb }: Participant): string => `${this.#program(step)} ${verb}`;
    const [first, second] = parts;
    const named = (role: Participant['role']): Participant[] =>
      parts.filter((part) => part.role === role);
    switch (kind) {
      case 'load-store':
        return `${doing(second!)} ${object} while ${this.#program(first!.step)} ${toIt(first!.verb)}`;
      case 'wait-wakeups': {
        const [wait] = named('wait');
        const wakeups = named('wakeup');
        const [waiter, one, other] = this.#programs([wait!, ...wakeups]);
        return wakeups[0]?.step.process === wakeups[1]?.step.process
          ? `${waiter} may read more or less of what ${one} writes at a time`
          : `${waiter} may be woken by ${one} or by ${other} first`;
      }
      case 'wakeup-waits': {
        const [one, other, giver] = this.#programs([...named('wait'), ...named('wakeup')]);
        return `${one} or ${other} may get what ${giver} gives`;
      }
      case 'signal': {
        const [met] = named('load');
        const sender = this.#program(named('signal')[0]!.step);
        const what = describeStep(met!.step, this.#folder);
        const reaches = `${thing.name} from ${sender} may reach ${this.#program(met!.step)}`;
        return met!.step.event > named('wait')[0]!.step.event
          ? `${reaches} only after ${what}, which it interrupted`
          : `${reaches} before ${what}`;
      }
    }
  }

  #access({ step, role }: Participant): Access {
    this.#mention(step.task, beginningOf(step));
    const program = this.#tasks.programAt(step.task, beginningOf(step));
    return {
      process: program.name,
      ...this.#numbers(step),
      op: role,
      what: describeStep(step, this.#folder),
      event: step.event,
      site: program.path === '' ? {} : { module: program.path },
      stack: [],
    };
  }

  #order(race: DetectedRace): NonNullable<Race['order']> {
    const { steps, after } = this.#finder.around(race);
    const racing = new Set(race.parts.map(({ step }) => step));
    return steps.map((step, index) => ({
      ...this.#numbers(step),
      what: `${this.#program(step)}: ${describeStep(step, this.#folder)}`,
      ...(after[index]!.length > 0 && { after: after[index]! }),
      ...(racing.has(step) && { races: true as const }),
    }));
  }

  /** As the program knows them, in its own pid namespace; further threads have ours. */
  #numbers(step: Step): { pid: number; thread: number } {
    return this.#numbersOf(this.#tasks.lifeAt(step.task, beginningOf(step)), step);
  }

  #numbersOf(life: Life | undefined, { process, task }: Pick<Step, 'process' | 'task'>) {
    const pid = life?.ownPid ?? process;
    const isFirst = (life?.pid ?? process) === (task as number);
    return { pid: pid as number, thread: isFirst ? (pid as number) : (task as number) };
  }

  #program(step: Step): string {
    return basename(this.#tasks.programAt(step.task, beginningOf(step)).name);
  }

  /** Those that are called the same have their numbers too. */
  #programs(parts: readonly Participant[]): string[] {
    const all = parts.map(({ step }) => ({ name: this.#program(step), ...this.#numbers(step) }));
    return all.map(({ name, pid }) =>
      all.some((other) => other.name === name && other.pid !== pid) ? `${name} (pid ${pid})` : name,
    );
  }

  #mention(tid: Step['task'], sequence: number): void {
    const life = this.#tasks.lifeAt(tid, sequence);
    if (!life) return;
    const key = `${life.tid}@${life.from}`;
    if (this.#mentioned.has(key)) return;
    const program = this.#tasks.programAt(tid, sequence);
    const parent =
      life.parent === undefined ? undefined : this.#tasks.lifeAt(life.parent, life.from);
    this.#mentioned.set(key, {
      ...this.#numbersOf(life, { process: life.pid, task: life.tid }),
      process: program.name,
      command: program.command,
      ...(parent && {
        parent: this.#numbersOf(parent, { process: parent.pid, task: parent.tid }),
        createdBy: { what: life.how },
      }),
    });
    if (parent) this.#mention(parent.tid, life.from);
  }
}
