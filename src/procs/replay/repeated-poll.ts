/**
 * A poll tells of all that is ready. When it is made again, more may be ready than there was, since
 * nothing keeps a writer from going on until a reader has looked. What was not there when the program
 * was recorded is hidden from it; the next poll will tell.
 *
 *   recorded   poll(5: input,  7: nothing) = 1
 *   now        poll(5: input,  7: hung up) = 2      becomes the same as recorded
 *
 * select and epoll are left as they are: what an epoll has told once, it may not tell again.
 */
import { encodeBytes } from '../../base/bytes.ts';
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { writeMemory } from '../../linux/process-memory.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { changeResult } from '../recorder/changed-calls.ts';

const POLLS: ReadonlySet<number> = new Set(['poll', 'ppoll'].map(syscallNumber));

/** `struct pollfd`, <asm-generic/poll.h>: what is asked for comes before what is answered. */
const POLLFD = { revents: 6, size: 8 } as const;

/** The task stands at the end of this call. */
export function repeatPoll(
  task: Tid,
  recorded: CallRecord,
  now: CallRecord,
  args: readonly number[],
): void {
  if (!POLLS.has(recorded.number) || recorded.result < 0 || now.result <= 0) return;
  const answer = asRecorded(encodeBytes(recorded.data ?? ''), encodeBytes(now.data ?? ''));
  if (!answer) return;
  writeMemory(task, traceeAddress(BigInt(args[0] ?? 0)), answer);
  changeResult(task, recorded.result);
}

/** What to answer; undefined if that is so already, or if something that was ready is not. */
export function asRecorded(recorded: Buffer, now: Buffer): Buffer | undefined {
  if (recorded.length !== now.length) return undefined;
  const answer = Buffer.from(now);
  for (let at = 0; at + POLLFD.size <= now.length; at += POLLFD.size) {
    const isSame = recorded.compare(now, at, at + POLLFD.revents, at, at + POLLFD.revents) === 0;
    const [then, ready] = [recorded, now].map((bytes) => bytes.readUInt16LE(at + POLLFD.revents));
    const both = then! & ready!;
    if (!isSame || (then !== 0 && both === 0)) return undefined;
    answer.writeUInt16LE(both, at + POLLFD.revents);
  }
  return answer.equals(now) ? undefined : answer;
}
