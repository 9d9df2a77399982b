/** What a trace lacks, in words. */
import { printable } from '../../base/bytes.ts';
import type { AgentProblemRecord } from '../../linux/agent-channel.ts';
import { errnoName } from '../../linux/errno.ts';

/** What the agent has complained about. */
export function agentProblem({
  what,
  errno,
  text,
  pid,
}: AgentProblemRecord & { pid: number }): string {
  const why = errno === 0 ? '' : ` (${errnoName(errno)})`;
  switch (what) {
    case 'DH_PROBLEM_LOG_STOPPED':
      return `process ${pid}: the trace ends early, since its log could not grow${why}: ${printable(text)}`;
    case 'DH_PROBLEM_TOO_MANY_THREADS':
      return `process ${pid}: the trace ends early, since there were too many threads`;
    case 'DH_PROBLEM_BLOB':
      return `process ${pid}: an image is not traced${why}: ${printable(text)}`;
    case 'DH_PROBLEM_LOG_LIMIT':
    case 'DH_PROBLEM_NO_EVENT':
    case 'DH_PROBLEM_FOREIGN_UNLOCK':
    case 'unknown':
      return `process ${pid}: the agent had a problem${why}: ${printable(text)}`;
  }
}

/** After these, operations may be missing; what a trace says of the order would be wrong. */
export const endsTrace = ({ what }: AgentProblemRecord): boolean =>
  what === 'DH_PROBLEM_LOG_STOPPED' || what === 'DH_PROBLEM_TOO_MANY_THREADS';

export const lostRecords = (bytes: number): string =>
  `${bytes} bytes of what the agent had to say did not fit: names and places may be missing`;

export const damagedLog = (path: string, damage: string): string =>
  `${printable(path)} is damaged, and the trace of its process ends there: ${damage}`;

export const unreadableProcess = (pid: number | string, reason: string): string =>
  `process ${pid} is left out, since a log of it cannot be read: ${printable(reason)}`;

export const unheldReleases = (pid: number, count: number): string =>
  `process ${pid}: ${count} ${count === 1 ? 'unlock was' : 'unlocks were'} left out: ` +
  'the thread had not locked, as far as the trace tells';

export const missingReleases = (pid: number, count: number): string =>
  `process ${pid}: ${count} ${count === 1 ? 'lock was' : 'locks were'} taken while another thread held it, ` +
  'as far as the trace tells';
