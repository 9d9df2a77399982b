/** What a trace has: counted in one pass, then told in a few lines. */
import { printable } from '../../base/bytes.ts';
import { Labels } from '../model/labels.ts';
import { isAccess, opCount, opNames } from '../model/op.ts';
import { LOCK_KINDS, type TraceTables } from '../model/tables.ts';
import type { ThreadTraceSource } from '../model/trace.ts';

export interface Statistics {
  readonly tables: TraceTables;
  readonly events: number;
  /** By op. */
  readonly eventsByOp: readonly number[];
  readonly eventsByThread: readonly number[];
  readonly accesses: number;
  /** Variables that more than one thread accessed. */
  readonly sharedVariables: number;
}

export function statisticsOf(trace: ThreadTraceSource): Statistics {
  const eventsByOp = new Array<number>(opCount).fill(0);
  const eventsByThread: number[] = [];
  const users = new VariableUsers();
  for (const { count, threads, ops, targets } of trace.chunks()) {
    for (let i = 0; i < count; i++) {
      const op = ops[i]!;
      const thread = threads[i]!;
      eventsByOp[op]!++;
      eventsByThread[thread] = (eventsByThread[thread] ?? 0) + 1;
      if (isAccess(op)) users.note(targets[i]!, thread);
    }
  }
  const sum = (counts: readonly number[]): number => counts.reduce((all, some) => all + some, 0);
  return {
    tables: trace.tables,
    events: sum(eventsByOp),
    eventsByOp,
    eventsByThread,
    accesses: sum(eventsByOp.filter((_, op) => isAccess(op))),
    sharedVariables: users.shared,
  };
}

/** The only thread that ever accessed a variable, or SEVERAL. */
class VariableUsers {
  static readonly #SEVERAL = 0xffffffff;
  #users = new Uint32Array(1024);
  shared = 0;

  note(variable: number, thread: number): void {
    if (variable >= this.#users.length) this.#grow(variable);
    const user = this.#users[variable]!;
    if (user === thread + 1 || user === VariableUsers.#SEVERAL) return;
    if (user !== 0) this.shared++;
    this.#users[variable] = user === 0 ? thread + 1 : VariableUsers.#SEVERAL;
  }

  #grow(variable: number): void {
    const larger = new Uint32Array(2 * (variable + 1));
    larger.set(this.#users);
    this.#users = larger;
  }
}

/** So many threads are named. */
const mostThreads = 20;

/** `fileBytes`: what the trace takes on disk. */
export function describeStatistics(statistics: Statistics, fileBytes: number): string {
  const { tables, events, eventsByOp, accesses, sharedVariables } = statistics;
  const kinds = LOCK_KINDS.map((kind) => [kind, countLocks(tables, kind)] as const);
  const perAccess = accesses === 0 ? '' : `, ${(fileBytes / accesses).toFixed(2)} an access`;
  return [
    `threads           ${shown(tables.threads.count)}`,
    ...threadLines(statistics),
    `locks             ${shown(tables.locks.count)}`,
    ...kinds.filter(([, count]) => count > 0).map(([kind, count]) => row(kind, count)),
    `variables         ${shown(tables.variables.count)}, ${shown(sharedVariables)} of them shared`,
    `places            ${shown(tables.sites.count)}`,
    `events            ${shown(events)}`,
    ...[...eventsByOp.entries()]
      .filter(([, count]) => count > 0)
      .map(([op, count]) => row(opNames[op]!, count)),
    `bytes             ${shown(fileBytes)}${perAccess}`,
    ...moduleLines(tables),
    '',
  ].join('\n');
}

function threadLines({ tables, eventsByThread }: Statistics): string[] {
  const labels = new Labels(tables).threads;
  const lines = labels
    .slice(0, mostThreads)
    .map((label, i) => `${row(label, eventsByThread[i] ?? 0)} events`);
  if (labels.length > mostThreads) lines.push(`  and ${shown(labels.length - mostThreads)} more`);
  return lines;
}

/** `functions  42 of 43 traced in /home/me/queue`, and why not the others. */
function moduleLines({ modules, skipped }: TraceTables): string[] {
  const reasons = Array.from({ length: skipped.count }, (_, i) => skipped.row(i));
  return Array.from({ length: modules.count }, (_, number) => {
    const { path, functionsTraced: traced } = modules.row(number);
    const ours = reasons.filter(({ module }) => module === number);
    const all = ours.reduce((sum, { functions }) => sum + functions, traced);
    const head = `functions         ${shown(traced)} of ${shown(all)} traced in ${printable(path)}`;
    return [
      head,
      ...ours.map(({ functions, reason }) => `  ${shown(functions)} skipped: ${printable(reason)}`),
    ];
  }).flat();
}

function countLocks({ locks }: TraceTables, kind: string): number {
  let count = 0;
  for (let i = 0; i < locks.count; i++) if (locks.cell(i, 'kind') === kind) count++;
  return count;
}

function row(name: string, count: number): string {
  return `  ${name.padEnd(15)} ${shown(count)}`;
}

function shown(count: number): string {
  return count.toLocaleString('en');
}
