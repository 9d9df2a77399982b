/** From detected races to the report that all engines share. */
import type { Race, Report, Task } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import type { Side } from './detect/accesses.ts';
import { describeCall, shownPath, verb } from './detect/describe-call.ts';
import type { Detection } from './detect/load-store.ts';
import type { LoadStoreRace } from './detect/root-causes.ts';
import type { TaskHistory } from './detect/task-history.ts';
import type { Timeline } from './detect/timeline.ts';

export function buildReport(
  run: Pick<Run, 'name' | 'info'>,
  version: string,
  timeline: Timeline,
  detection: Detection,
): Report {
  const { info } = run;
  const describe = new Describer(timeline.tasks, info.cwd);
  return {
    schema: 1,
    tool: 'deadheat',
    version,
    engine: 'procs',
    command: info.command,
    run: run.name,
    ...(info.exit && { exit: info.exit }),
    races: detection.races.map((race, index) => describe.race(race, `R${index + 1}`)),
    tasks: describe.mentioned(),
    ...(detection.warnings.length > 0 && { warnings: detection.warnings }),
    stats: { calls: timeline.calls.length, tasks: timeline.tasks.count },
  };
}

class Describer {
  readonly #tasks: TaskHistory;
  readonly #folder: string;
  readonly #mentioned = new Map<string, Task>();

  constructor(tasks: TaskHistory, folder: string) {
    this.#tasks = tasks;
    this.#folder = folder;
  }

  race({ sides, occurrences }: LoadStoreRace, id: string): Race {
    const { path, part } = sides[0].operation;
    const object = shownPath(path, this.#folder);
    const [a, b] = sides;
    return {
      id,
      kind: 'load-store',
      verdict: 'detected',
      title: `${this.#doing(b)} ${object} while ${this.#doing(a)} it`,
      object: { type: part === 'contents' ? 'file' : part, name: path },
      // The report tells the later side first, as ThreadSanitizer does.
      accesses: [this.#access(b), this.#access(a)],
      occurrences,
    };
  }

  /** The tasks of all races so far, each with its ancestors. */
  mentioned(): Task[] {
    return [...this.#mentioned.values()];
  }

  #doing({ call, operation }: Side): string {
    const { name } = this.#tasks.programAt(call.tid, call.entry);
    return `${name} ${verb(operation.op, operation.part, call)}`;
  }

  #access(side: Side): Race['accesses'][number] {
    const { call, operation } = side;
    this.#mention(call.tid, call.entry);
    const program = this.#tasks.programAt(call.tid, call.entry);
    const pid = this.#tasks.lifeAt(call.tid, call.entry)?.pid ?? call.tid;
    return {
      process: program.name,
      pid,
      thread: call.tid,
      op: operation.op,
      what: describeCall(side, this.#folder),
      site: program.path === '' ? {} : { module: program.path },
      stack: [],
    };
  }

  #mention(tid: Side['call']['tid'], sequence: number): void {
    const life = this.#tasks.lifeAt(tid, sequence);
    if (!life) return;
    const key = `${life.tid}@${life.from}`;
    if (this.#mentioned.has(key)) return;
    const program = this.#tasks.programAt(tid, sequence);
    const parent =
      life.parent === undefined ? undefined : this.#tasks.lifeAt(life.parent, life.from);
    this.#mentioned.set(key, {
      pid: life.pid,
      thread: life.tid,
      process: program.name,
      command: program.command,
      ...(parent && {
        parent: { pid: parent.pid, thread: parent.tid },
        createdBy: { what: life.how },
      }),
    });
    if (parent) this.#mention(parent.tid, life.from);
  }
}
