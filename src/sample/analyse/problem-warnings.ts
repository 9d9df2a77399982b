/** What the agent could not do, for people. */
import type { AgentProblemRecord } from '../../linux/agent-channel.ts';
import { errnoName } from '../../linux/errno.ts';
import { eventRemedy } from '../event-remedy.ts';

export function problemWarnings(problems: readonly AgentProblemRecord[]): string[] {
  return [...new Set(problems.map(textOf))];
}

function textOf({ what, errno, text }: AgentProblemRecord): string {
  const why = errno === 0 ? '' : ` (${errnoName(errno)})`;
  switch (what) {
    case 'DH_PROBLEM_LOG_STOPPED':
      return `logs could not grow any more${why}: what happened since then is not known`;
    case 'DH_PROBLEM_LOG_LIMIT':
      return 'logs have become as large as they may be: what happened since then is not known';
    case 'DH_PROBLEM_TOO_MANY_THREADS':
      return 'there were more threads than can be told apart: what happened since then is not known';
    case 'DH_PROBLEM_NO_EVENT':
      return `some threads were not sampled as asked${why}: ${eventRemedy(errno, text)}`;
    case 'DH_PROBLEM_FOREIGN_UNLOCK':
      return 'locks are let go by other threads than those that took them: what they guard may be told wrongly, or not at all';
    case 'DH_PROBLEM_BLOB':
    case 'unknown':
      return `the agent has met a problem${why}: ${text}`;
  }
}
