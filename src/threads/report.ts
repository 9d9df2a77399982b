/** From predicted races to the report that all engines share. */
import { basename } from 'node:path';
import type { Access, Race, Report, Site, Step, Task } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import { Labels } from './model/labels.ts';
import { isStore, NONE, Op, opNames } from './model/op.ts';
import type { ThreadTrace } from './model/trace.ts';
import type { Predicted, PredictedRace } from './predict/predict-races.ts';
import type { AccessPair, Access as TracedAccess } from './predict/race.ts';
import { RUNGS } from './predict/race.ts';
import type { WitnessStep } from './predict/witness.ts';

/** A witness may have millions of steps; its end is what leads to the race. */
export const MOST_STEPS = 100;
const MOST_UNDECIDED = 100;

export function buildReport(
  run: Pick<Run, 'name' | 'info'>,
  version: string,
  trace: ThreadTrace,
  predicted: Predicted,
  warnings: readonly string[],
): Report {
  const { info } = run;
  const describe = new Describer(trace, nameOfProgram(info));
  const races = predicted.races.map((race, index) => describe.race(race, `R${index + 1}`));
  const undecided = predicted.undecided.slice(0, MOST_UNDECIDED);
  return {
    schema: 1,
    tool: 'deadheat',
    version,
    engine: 'threads',
    command: info.command,
    run: run.name,
    ...(info.exit && { exit: info.exit }),
    races,
    tasks: describe.tasks(),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    stats: {
      events: trace.length,
      threads: trace.tables.threads.count,
      rungs: Object.fromEntries(
        RUNGS.map((rung) => [rung, races.filter((race) => race.rung === rung).length]),
      ),
      untold: predicted.untold,
      undecided: predicted.undecided.length,
      undecidedPairs: undecided.map((pair) => describe.pair(pair)),
      cleared: predicted.cleared,
      clearedNearby: predicted.clearedNearby,
      crowdedVariables: predicted.crowdedVariables,
    },
  };
}

/** An imported trace has the name of its file. */
function nameOfProgram({ command, recorder }: Run['info']): string {
  const word = recorder === 'import' ? command.at(-1) : command[0];
  return basename(word ?? '');
}

class Describer {
  readonly #trace: ThreadTrace;
  readonly #labels: Labels;
  readonly #program: string;
  readonly #mentioned = new Set<number>();

  constructor(trace: ThreadTrace, program: string) {
    this.#trace = trace;
    this.#labels = new Labels(trace.tables);
    this.#program = program;
  }

  race(race: PredictedRace, id: string): Race {
    const { variable, first, second, rung, isCertain, occurrences, path } = race;
    const { allocation } = this.#trace.tables.variables.row(variable);
    const steps = path.lastSteps(MOST_STEPS);
    const earlier = path.recordedSteps + path.stepCount - steps.length;
    return {
      id,
      kind: 'data-race',
      verdict: 'predicted',
      title: this.#title(race),
      object: {
        type: allocation === NONE ? 'memory' : 'heap',
        name: this.#labels.variable(variable),
      },
      // The later side first, as ThreadSanitizer does.
      accesses: [second, first].map((access) => this.#access(access, variable)),
      steps: steps.map((step) => this.#step(step)),
      ...(earlier > 0 && { earlierSteps: earlier }),
      rung,
      certain: isCertain,
      occurrences,
    };
  }

  /** `counter: main reads it at main.c:33, worker writes it at queue.c:19` */
  pair({ variable, first, second }: AccessPair): string {
    const sides = [first, second].map((access) => this.#doing(access, 'it'));
    return `${this.#labels.variable(variable)}: ${sides.join(', ')}`;
  }

  /** All threads that were mentioned, and those that created them. */
  tasks(): Task[] {
    const forks = this.#forks();
    const queue = [...this.#mentioned];
    const seen = new Set(queue);
    const tasks: Task[] = [];
    for (const thread of queue) {
      const fork = forks.get(thread);
      tasks.push({
        ...this.#who(thread),
        process: this.#program,
        ...(fork && {
          parent: this.#numbers(fork.thread),
          createdBy: { what: opNames[fork.op]!, site: this.#site(fork.site) },
        }),
      });
      if (fork === undefined || seen.has(fork.thread)) continue;
      seen.add(fork.thread);
      queue.push(fork.thread);
    }
    return tasks;
  }

  #title({ variable, variables, first, second }: PredictedRace): string {
    const name = this.#labels.variable(variable);
    const others = variables > 1 ? ` (and ${variables - 1} more variables alike)` : '';
    return `${this.#doing(second, name)} while ${this.#doing(first, 'it')}${others}`;
  }

  #doing({ thread, op, site }: TracedAccess, what: string): string {
    const verb = op === Op.atomicUpdate ? 'updates' : isStore(op) ? 'writes' : 'reads';
    const place = this.#place(site);
    return `${this.#labels.thread(thread)} ${verb} ${what}${place === '' ? '' : ` at ${place}`}`;
  }

  /** Short: `queue.c:41`, `place 17`, `libqueue.so+0x1a40`. */
  #place(site: number): string {
    if (site === NONE) return '';
    const { file, line } = this.#trace.tables.sites.row(site);
    return file === '' ? this.#labels.site(site) : `${basename(file)}:${line}`;
  }

  #access({ event, thread, op, site }: TracedAccess, variable: number): Access {
    this.#mentioned.add(thread);
    const { address, size } = this.#trace.tables.variables.row(variable);
    const isImported = size === 0;
    const what = isImported
      ? this.#labels.site(site)
      : `${size} ${size === 1 ? 'byte' : 'bytes'} at 0x${address.toString(16)}`;
    return {
      process: this.#program,
      ...this.#who(thread),
      op: opNames[op]!,
      what,
      event,
      site: this.#site(site),
      stack: [],
    };
  }

  #step({ thread, op, target, site }: WitnessStep): Step {
    this.#mentioned.add(thread);
    const isOwn = op === Op.begin || op === Op.end;
    const what = isOwn ? opNames[op]! : `${opNames[op]} ${this.#labels.target(op, target)}`;
    const known = this.#site(site);
    if (Object.keys(known).length > 0) return { ...this.#who(thread), what, site: known };
    // What an imported trace has for the place is no address.
    const place = site === NONE ? '' : `, ${this.#labels.site(site)}`;
    return { ...this.#who(thread), what: `${what}${place}` };
  }

  #site(site: number): Site {
    if (site === NONE) return {};
    const { module, address, function: name, file, line } = this.#trace.tables.sites.row(site);
    const isInModule = module !== NONE;
    return {
      ...(name !== '' && { function: name }),
      ...(file !== '' && { file }),
      ...(file !== '' && line > 0 && { line }),
      ...(isInModule && {
        module: this.#trace.tables.modules.row(module).path,
        address: `0x${address.toString(16)}`,
      }),
    };
  }

  #who(thread: number): Pick<Access, 'pid' | 'thread' | 'threadName'> {
    return { ...this.#numbers(thread), threadName: this.#labels.thread(thread) };
  }

  /** Threads of an imported trace have their places among all of them. */
  #numbers(thread: number): Pick<Access, 'pid' | 'thread'> {
    const { process, tid } = this.#trace.tables.threads.row(thread);
    return { pid: process, thread: process === 0 ? thread : tid };
  }

  /** By thread, the event that created it. */
  #forks(): Map<number, WitnessStep> {
    const forks = new Map<number, WitnessStep>();
    let event = 0;
    for (const { count, threads, ops, targets, sites } of this.#trace.chunks()) {
      for (let i = 0; i < count; i++, event++) {
        const op = ops[i]! as Op;
        if (op !== Op.fork && op !== Op.processFork) continue;
        const [thread, target, site] = [threads[i]!, targets[i]!, sites[i]!];
        forks.set(target, { event, thread, op, target, site });
      }
    }
    return forks;
  }
}
