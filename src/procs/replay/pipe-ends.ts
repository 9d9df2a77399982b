/**
 * Who has read from a pipe may be its last reader, without whom the next write fails. So here head
 * must not end before tr has written what it could, and has to before tr writes what it could not:
 *
 *   tr </dev/urandom | head -c 8
 */
import { errnoNumber } from '../../linux/errno.ts';
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { ExitRecord } from '../../trace/records/exit.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { transferOf } from '../detect/order/transfers.ts';
import { typeOf } from '../model/file-type.ts';
import type { Item, ScriptedTask } from './script.ts';

const EPIPE = errnoNumber('EPIPE') ?? 0;

interface Pipe {
  /** The last of each writer. */
  readonly writes: Map<ScriptedTask, { item: Item; call: CallRecord }>;
  /** Of those who have read from it, or when they have closed it. */
  readonly ends: Item[];
}

export class PipeEnds {
  readonly #pipes = new Map<string, Pipe>();
  readonly #readBy = new Map<ScriptedTask, Set<Pipe>>();

  /** What a task's end has to wait for. */
  *ofEnd(item: Item, { sequence }: ExitRecord): Iterable<Item> {
    for (const pipe of this.#readBy.get(item.task) ?? []) yield* endOf(pipe, item, sequence);
    this.#readBy.delete(item.task);
  }

  /** What a call has to wait for. */
  *ofCall(item: Item, call: CallRecord): Iterable<Item> {
    const name = syscallName(call.number);
    const closed = name === 'close' ? this.#pipe(call.file) : undefined;
    if (closed && this.#readBy.get(item.task)?.delete(closed)) {
      yield* endOf(closed, item, call.exit);
    }
    const { from, into } = transferOf(call, name) ?? {};
    const read = this.#pipe(from);
    if (read) this.#readBy.set(item.task, (this.#readBy.get(item.task) ?? new Set()).add(read));
    const written = this.#pipe(into);
    if (!written) return;
    if (call.result > 0) written.writes.set(item.task, { item, call });
    else if (call.result === -EPIPE) yield* written.ends;
  }

  #pipe(file: KernelFile | undefined): Pipe | undefined {
    if (!file || typeOf(file) !== 'pipe') return undefined;
    const key = `${file.device}:${file.inode}`;
    const pipe = this.#pipes.get(key) ?? { writes: new Map(), ends: [] };
    this.#pipes.set(key, pipe);
    return pipe;
  }
}

function* endOf({ writes, ends }: Pipe, item: Item, sequence: number): Iterable<Item> {
  ends.push(item);
  for (const { item: write, call } of writes.values()) {
    // One that the end has broken off cannot come to its own before.
    if (call.exit < sequence || call.result === call.args[2]) yield write;
  }
}
