/** Whether a program can be run again and still is what was sampled: places are the same in the same build only. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { encodeBytes, printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import type { AgentImage } from '../linux/agent-channel.ts';
import { findProgram } from '../linux/find-program.ts';
import { readImage } from '../preload/require-preloadable.ts';
import type { Run } from '../trace/run-directory.ts';
import { sampledRecords } from './own-images.ts';

export function requireSameBuild(run: Run): void {
  const { name, info } = run;
  const { executable } = findProgram(info.command[0] ?? '');
  const { key } = readImage(executable, 'sample');
  const images = sampledRecords(run).filter((one) => one.kind === 'image');
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
