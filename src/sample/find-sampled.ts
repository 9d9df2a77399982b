/**
 * Finds the control file of a running program that was started with `deadheat sample`: the agent has it mapped, so
 * that /proc/PID/maps names it. Says what is the matter if there is none.
 *
 *   findControl(pid(4711))     // '/home/me/.deadheat/sample-3/samples/control'
 */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { byteStrings } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { type Result, tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { AgentProtocol } from '../linux/agent-protocol.ts';
import type { Pid } from '../linux/ids.ts';
import { tid } from '../linux/ids.ts';
import { mappingsOf } from '../linux/memory-maps.ts';
import { isRunning, statusField } from '../linux/running-process.ts';
import { SAMPLES_FOLDER } from './sampled-info.ts';

const CONTROL = 'control';
const DELETED = / \(deleted\)$/;

export function findControl(process: Pid): string {
  if (!isRunning(tid(process))) {
    throw new UserError(`there is no process ${process}`, 'name one that runs');
  }
  const isOurs = (path: string): boolean =>
    basename(path.replace(DELETED, '')) === CONTROL && basename(dirname(path)) === SAMPLES_FOLDER;
  const found = mappingsOf(process).find(({ path }) => isOurs(path));
  if (found === undefined) throw whyThereIsNone(process);
  if (!DELETED.test(found.path)) return found.path;
  throw new UserError(
    `the run that process ${process} belongs to was deleted (${found.path.replace(DELETED, '')})`,
    "start the program again with 'deadheat sample'",
  );
}

function whyThereIsNone(process: Pid): UserError {
  const maps = tryTo(() => readFileSync(`/proc/${process}/maps`));
  if (!maps.ok) {
    return new UserError(
      `process ${process} cannot be looked at: it is of user ${statusField(process, 'Uid')}`,
      'do this as that user, or as root',
      ExitStatus.unavailable,
    );
  }
  const named = wasTold(process);
  if (named.ok && named.value) {
    return new UserError(
      `process ${process} was started with sampling, but the agent is not in it`,
      'programs that are linked statically or are set-user-ID cannot be sampled',
      ExitStatus.unavailable,
    );
  }
  return new UserError(
    `process ${process} was not started with sampling, and nothing can be loaded into it later`,
    "start it with 'deadheat sample --dormant -- CMD'",
  );
}

/** Whether its environment, as it was at the start, asks for the agent. */
const wasTold = (process: Pid): Result<boolean> =>
  tryTo(() =>
    byteStrings(readFileSync(`/proc/${process}/environ`)).some((entry) =>
      entry.startsWith(`${AgentProtocol.DH_SAMPLING_VARIABLE}=`),
    ),
  );
