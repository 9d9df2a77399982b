/**
 * Recordings of a few processes that do anything to a few files and pipes, for tests of what must be
 * true of all recordings. One comes from a list of choices, so that fast-check can shrink it: an
 * action, who does it, and what with. What is impossible at that point is left out.
 */
import fc from 'fast-check';
import type { CallRecord } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { OpenFlag } from '../model/open-flags.ts';
import { Script } from './records.ts';

const ACTIONS = [
  ...['fork', 'exit', 'wait', 'read', 'write', 'mkdir', 'stat', 'unlink', 'rename'],
  ...['send', 'receive', 'open', 'create', 'execve', 'list', 'chmod'],
] as const;
const PATHS = ['/a', '/b', '/d', '/d/a'];
const PIPES = [7, 8];
const MOST_PROCESSES = 5;

export interface Choice {
  readonly action: (typeof ACTIONS)[number];
  readonly who: number;
  readonly what: number;
  /** How much of the time since its last step the call took, in tenths. */
  readonly long: number;
}

const choice: fc.Arbitrary<Choice> = fc.record({
  action: fc.constantFrom(...ACTIONS),
  who: fc.nat(7),
  what: fc.nat(7),
  long: fc.nat(9),
});

export const choices = fc.array(choice, { minLength: 5, maxLength: 40, size: 'max' });

/** `overlapping`: calls begin before those of other processes have ended. */
export function recordingOf(list: readonly Choice[], overlapping: boolean): TraceRecord[] {
  const script = new Script().makePipe(1, 7).makePipe(1, 8);
  // So that all of it has a name, whoever touches it first.
  for (const path of PATHS.slice(0, 2)) script.read(1, path);
  const alive = [1];
  const parents = new Map<number, number>();
  const ended: number[] = [];
  const inPipes = new Map(PIPES.map((pipe) => [pipe, 0]));
  const made = script.records.length;
  const lengths = new Map<TraceRecord, number>();
  let last = 1;
  for (const { action, who, what, long } of list) {
    const task = alive[who % alive.length]!;
    const path = PATHS[what % PATHS.length]!;
    const file = PATHS[what % 2]!;
    const pipe = PIPES[what % PIPES.length]!;
    switch (action) {
      case 'fork':
        if (last >= MOST_PROCESSES) break;
        script.fork(task, ++last).exec(last, `p${last}`);
        parents.set(last, task);
        alive.push(last);
        break;
      case 'exit':
        if (task === 1) break;
        script.exit(task, what % 2);
        alive.splice(alive.indexOf(task), 1);
        ended.push(task);
        break;
      case 'wait': {
        const child = ended.find((one) => parents.get(one) === task);
        if (child === undefined) break;
        ended.splice(ended.indexOf(child), 1);
        script.wait(task, child, what % 2 ? -1 : child);
        break;
      }
      case 'read':
      case 'write':
        script[action](task, file, what > 3 ? what % 3 : undefined);
        break;
      case 'list':
        script.list(task, '/d');
        break;
      case 'rename':
        script.call(task, 'rename', path, { path2: PATHS[(what + 1) % PATHS.length]! });
        break;
      case 'open':
      case 'create': {
        const flags = action === 'open' ? 0 : OpenFlag.O_CREAT | OpenFlag.O_WRONLY;
        const created = action === 'create' && what > 3 ? { created: true as const } : {};
        script.call(task, 'openat', path, { args: [-100, 0, flags], result: -13, ...created });
        break;
      }
      case 'send':
        script.send(task, pipe, 2);
        inPipes.set(pipe, inPipes.get(pipe)! + 2);
        break;
      case 'receive': {
        const length = Math.min(1 + (what % 3), inPipes.get(pipe)!);
        if (length === 0) break;
        inPipes.set(pipe, inPipes.get(pipe)! - length);
        script.receive(task, pipe, length);
        break;
      }
      default:
        script.call(task, action, path);
    }
    lengths.set(script.records.at(-1)!, long);
  }
  return overlapping ? withLengths(script.records, made, lengths) : script.records;
}

function withLengths(
  records: readonly TraceRecord[],
  made: number,
  lengths: ReadonlyMap<TraceRecord, number>,
): TraceRecord[] {
  const latest = new Map<number, number>();
  return records.map((record, index): TraceRecord => {
    if (record.kind === 'start') latest.set(record.parentTid ?? 0, record.sequence);
    if (!('tid' in record)) return record;
    const before = latest.get(record.tid) ?? 0;
    latest.set(record.tid, record.kind === 'call' ? record.exit : record.sequence);
    const share = (lengths.get(record) ?? 0) / 10;
    if (record.kind !== 'call' || index < made || record.exit < before) return record;
    // Places are unique, as they are in a recording.
    const entry = record.entry - (record.entry - before - 0.5) * share - index / 10_000;
    return { ...record, entry } satisfies CallRecord;
  });
}
