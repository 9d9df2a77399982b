/**
 * Runs a program with the agent in it, and waits for its end. Nobody traces it: if we are killed, it goes on,
 * and so do its logs.
 */
import type { AgentRecord } from '../../linux/agent-channel.ts';
import { type RanProgram, runProgram, withVariables } from '../../linux/run-program.ts';
import type { UntracedProgram } from '../../linux/start-untraced.ts';
import type { AgentFolder } from './agent-folder.ts';

export interface AgentRun extends RanProgram {
  /** All that the agent said. */
  readonly records: readonly AgentRecord[];
  /** Bytes of what it said that did not fit. */
  readonly lost: number;
}

export async function runWithAgent(
  program: UntracedProgram,
  { channel }: AgentFolder,
  timeoutMs?: number,
): Promise<AgentRun> {
  const environment = withVariables(program.environment, channel.environment);
  const ran = await runProgram({ ...program, environment }, { timeoutMs });
  return { ...ran, records: [...channel.records()], lost: channel.lost };
}
