/**
 * A trace as text for people, an event a line; numbers count from 1, and go on over what is left out:
 *
 *         1  main       fork            worker#1                main.c:20 in main
 *         2  worker#1   acquire         queue.mutex             queue.c:14 in push
 */
import { printable } from '../../base/bytes.ts';
import { bySimilarity } from '../../base/similar-names.ts';
import { UserError } from '../../base/user-error.ts';
import { Labels } from '../model/labels.ts';
import { opNames } from '../model/op.ts';
import type { ThreadTraceSource } from '../model/trace.ts';

export interface PrintOptions {
  /** Only these threads, by their labels or numbers. */
  readonly threads?: readonly string[] | undefined;
  /** The first and the last event. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Goes over the trace twice: a thread's label depends on what the others are called. */
export function printTrace(
  trace: ThreadTraceSource,
  { threads: wanted, from = 1, to = Number.POSITIVE_INFINITY }: PrintOptions,
  write: (text: string) => void,
): void {
  for (const _ of trace.chunks());
  const labels = new Labels(trace.tables);
  const shown = wanted && threadsCalled(wanted, labels.threads);
  let before = 0;
  for (const { count, threads, ops, targets, sites } of trace.chunks()) {
    if (before >= to) break;
    const last = Math.min(count, to - before);
    for (let i = Math.max(0, from - 1 - before); i < last; i++) {
      const thread = threads[i]!;
      if (shown && !shown.has(thread)) continue;
      const op = ops[i]!;
      const number = `${before + i + 1}`.padStart(9);
      const name = labels.thread(thread).padEnd(15);
      const target = labels.target(op, targets[i]!).padEnd(27);
      const line = `${number}  ${name} ${opNames[op]!.padEnd(14)} ${target} ${labels.site(sites[i]!)}`;
      write(`${line.trimEnd()}\n`);
    }
    before += count;
  }
}

/** `worker` means all of worker#1, worker#2 …, if there are several. */
function threadsCalled(wanted: readonly string[], labels: readonly string[]): Set<number> {
  const numbers = new Set<number>();
  for (const word of wanted) {
    const before = numbers.size;
    for (const [number, label] of labels.entries()) {
      if (label === word || label === `${word}#${number}`) numbers.add(number);
    }
    if (numbers.size > before) continue;
    const close = bySimilarity(word, [...labels])
      .slice(0, 3)
      .join(', ');
    throw new UserError(
      `the trace has no thread '${printable(word)}'; the nearest are ${close}`,
      "'--stats' names all threads",
    );
  }
  return numbers;
}
