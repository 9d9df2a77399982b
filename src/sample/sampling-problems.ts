/** What a sampled run lacks, in words: what the agent has complained about, and who is still there. */
import { printable } from '../base/bytes.ts';
import type { AgentHello, AgentProblemRecord, AgentRecord } from '../linux/agent-channel.ts';
import { errnoName } from '../linux/errno.ts';
import { type Pid, tid } from '../linux/ids.ts';
import { isRunning } from '../linux/running-process.ts';
import { eventRemedy } from './event-remedy.ts';
import type { SampledInfo } from './sampled-info.ts';

/**
 * Of a program that does little but take locks, allocate or meet: the budget cannot be kept by taking fewer samples.
 *
 *   'deadheat sample --budget 2% -- ./allocates'    42% for its allocations
 */
export function hooksOverBudget({ budget, cost }: Pick<SampledInfo, 'budget' | 'cost'>): string[] {
  if (budget === undefined || cost === undefined || cost.ofHooks <= budget) return [];
  return [
    `noting locks, allocations and how threads meet took about ${percent(cost.ofHooks)} of the time, more than the ` +
      `budget of ${percent(budget)}, however few samples are taken: '--window 10s --every 10m' does it for a ` +
      'part of the time',
  ];
}

const percent = (share: number): string => `${Number((share * 100).toPrecision(2))}%`;

/** `lost`: bytes of what the agent said that did not fit. */
export function samplingProblems(records: readonly AgentRecord[], lost: number): string[] {
  const hellos = records.filter((record): record is AgentHello => record.kind === 'hello');
  const pids = new Map(hellos.map(({ process, pid }) => [process, pid]));
  const texts = records.flatMap((record) =>
    record.kind === 'problem' ? [problemText(record, pids.get(record.process))] : [],
  );
  const left = [...new Set(hellos.map(({ pid }) => pid))].filter((pid) => isRunning(tid(pid)));
  return [
    ...new Set(texts),
    ...(lost > 0 ? [`${lost} bytes of what the agent had to say did not fit`] : []),
    ...(left.length > 0 ? [stillThere(left)] : []),
  ];
}

const stillThere = (left: readonly Pid[]): string =>
  `process ${left.join(', ')} is still running, and sampled as before, but nobody sees to windows or the ` +
  `budget any more; 'deadheat sample --pid ${left[0]} stop' ends it`;

function problemText({ what, errno, text }: AgentProblemRecord, process: Pid | undefined): string {
  const who = `process ${process ?? '?'}`;
  const why = errno === 0 ? '' : ` (${errnoName(errno)})`;
  switch (what) {
    case 'DH_PROBLEM_LOG_STOPPED':
      return isRefusal(errno)
        ? `${who} could not write its log${why}: ${printable(text)}; it may run as another user: ` +
            'choose a place that this user may enter with -o DIR'
        : `${who} is sampled no further, since its log could not grow${why}: ${printable(text)}`;
    case 'DH_PROBLEM_LOG_LIMIT':
      return `${who} is sampled no further, since the logs are as large as --max-log allows`;
    case 'DH_PROBLEM_TOO_MANY_THREADS':
      return `${who} is sampled no further, since it has had more threads than can be told apart`;
    case 'DH_PROBLEM_NO_EVENT':
      return `${who}: a thread was not sampled as asked${why}: ${eventRemedy(errno, text)}`;
    case 'DH_PROBLEM_FOREIGN_UNLOCK':
      return `${who}: locks are let go by other threads than those that took them, so that it is not certain who holds them`;
    case 'DH_PROBLEM_BLOB':
    case 'unknown':
      return `${who}: the agent had a problem${why}: ${printable(text)}`;
  }
}

const isRefusal = (errno: number): boolean => ['EACCES', 'EPERM'].includes(errnoName(errno));
