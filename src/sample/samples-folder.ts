/**
 * The folder that the sampling agent works in:
 *
 *   RUN/samples/control       what is to be done, and what has been counted
 *   RUN/samples/processes     what the agent says: processes, images, names of threads, problems
 *   RUN/samples/1-2.log       what the second thread of the first process did
 *
 * It is made for a program that is about to be started, or belongs to one that runs already.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { openAgentRecords } from '../linux/agent-channel.ts';
import { AgentProtocol, SamplingNumbers } from '../linux/agent-protocol.ts';
import { createSampling, openSampling } from '../linux/sampling-control.ts';
import type { ChosenEvent } from './choose-event.ts';
import { eventOption, RunningSamples } from './running-samples.ts';

export interface FolderSettings {
  readonly on: boolean;
  readonly stacks: boolean;
  readonly maxLogBytes: number;
}

export interface SamplesFolder {
  readonly samples: RunningSamples;
  /** What the program needs to have in its environment. */
  readonly environment: Readonly<Record<string, string>>;
}

export function createSamplesFolder(
  path: string,
  event: ChosenEvent,
  { on, stacks, maxLogBytes }: FolderSettings,
): SamplesFolder {
  try {
    const { control, channel, environment } = createSampling(path, {
      ...{ on, maxLog: maxLogBytes, event: eventOption(event), period: event.period },
      stackWords: stacks ? SamplingNumbers.DH_STACK_WORDS_MAX : 0,
    });
    return { samples: new RunningSamples(path, control, channel), environment };
  } catch (error) {
    rmSync(encodeBytes(path), { recursive: true, force: true });
    throw error instanceof UserError ? error : cannotMake(path, error);
  }
}

/** Of a program that is sampled already; `path`: its control file. */
export function openSamples(path: string): RunningSamples {
  const folder = dirname(path);
  const control = openSampling(path);
  if (!control.ok) {
    throw new UserError(
      `cannot control the sampling by ${path}: ${control.error}`,
      'use the deadheat that has started the program, as the same user or as root',
      ExitStatus.unavailable,
    );
  }
  const channel = openAgentRecords(join(folder, AgentProtocol.DH_SAMPLING_CHANNEL));
  return new RunningSamples(folder, control.value, channel);
}

function cannotMake(path: string, error: unknown): UserError {
  return new UserError(
    `cannot prepare ${path}: ${(error as Error).message}`,
    'free some space there, or choose another place with -o DIR',
    ExitStatus.unavailable,
  );
}
