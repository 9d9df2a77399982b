/** Whether a program can be run again and still is what was sampled: places are the same in the same build only. */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { encodeBytes, printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { type AgentImage, openAgentRecords } from '../linux/agent-channel.ts';
import { AgentProtocol } from '../linux/agent-protocol.ts';
import { findProgram } from '../linux/find-program.ts';
import { readImage } from '../preload/require-preloadable.ts';
import type { Run } from '../trace/run-directory.ts';
import { SAMPLES_FOLDER } from './sampled-info.ts';

export function requireSameBuild({ name, path, info }: Run): void {
  const { executable } = findProgram(info.command[0] ?? '');
  const { key } = readImage(executable, 'sample');
  const images = imagesIn(join(path, SAMPLES_FOLDER, AgentProtocol.DH_SAMPLING_CHANNEL));
  // Without a build-id, all that can be known is that what was written later is something else.
  const isNewer = statSync(encodeBytes(executable)).mtimeMs > Date.parse(info.startedAt);
  const isIt = (image: AgentImage): boolean =>
    image.buildId === key ||
    (image.buildId === '' && basename(image.path) === basename(executable) && !isNewer);
  if (images.some(isIt)) return;
  throw new UserError(
    `${printable(executable)} is not the build that was sampled in ${name}`,
    'sample it again, or put the sampled build back',
  );
}

/** All that was loaded. */
function imagesIn(path: string): AgentImage[] {
  const channel = openAgentRecords(path);
  try {
    return [...channel.records()].filter((one): one is AgentImage => one.kind === 'image');
  } finally {
    channel.close();
  }
}
