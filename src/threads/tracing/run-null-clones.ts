/**
 * Runs a program with clones of its functions that log nothing: it must do exactly what it does by itself.
 * For tests of rewriting; nothing is kept.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentFolder } from './agent-folder.ts';
import { prepareBlobs } from './prepare-blobs.ts';
import { type AgentRun, runWithAgent } from './run-with-agent.ts';
import { findTarget } from './trace-program.ts';

export async function runNullClones(
  command: readonly string[],
  also: readonly string[],
): Promise<AgentRun> {
  const { program, images } = findTarget(command, also);
  const prepared = await prepareBlobs(images, { logs: false });
  const folder = new AgentFolder(mkdtempSync(join(tmpdir(), 'deadheat-null-')), prepared);
  try {
    return await runWithAgent(program, folder);
  } finally {
    folder.remove();
  }
}
