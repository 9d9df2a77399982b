/**
 * The sandbox that recorded programs and replays run in: fresh user and mount namespaces with an overlay filesystem, so
 * that a program may change every file it sees and no file really changes. Tried with the very
 * commands; a file is written through the overlay, and the one below must keep its content.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespaceRemedy, overlayRemedy } from '../../linux/sandbox/remedies.ts';
import { runCommand } from '../command.ts';
import { limited, missing, type Probe, works } from '../probe.ts';
import { withScratchFolder } from '../scratch-folder.ts';

const ENTER = ['--user', '--map-root-user', '--mount', 'sh', '-ec'];

/** In the scratch folder; what is mounted goes away with the namespace. */
const WRITE_THROUGH_OVERLAY = `
mount -t tmpfs deadheat private
mkdir private/upper private/work
mount -t overlay deadheat -o "lowerdir=$PWD/lower,upperdir=$PWD/private/upper,workdir=$PWD/private/work" merged
echo changed > merged/file
cat merged/file`;

export const namespaceProbe: Probe = {
  name: 'sandbox',
  usedBy: 'record and procs (without it: --in-place); replay',
  needed: 'an overlay filesystem in fresh user and mount namespaces',
  run: (signal) =>
    withScratchFolder(async (folder) => {
      for (const name of ['lower', 'merged', 'private']) mkdirSync(join(folder, name));
      const lower = join(folder, 'lower', 'file');
      writeFileSync(lower, 'original');

      const enter = await runCommand('unshare', [...ENTER, ':'], { signal, folder });
      if (enter.code !== 0) return missing(enter.complaint, namespaceRemedy());

      const overlay = await runCommand('unshare', [...ENTER, WRITE_THROUGH_OVERLAY], {
        signal,
        folder,
      });
      if (overlay.code !== 0) {
        return missing(`namespaces work, overlay: ${overlay.complaint}`, overlayRemedy());
      }
      if (overlay.stdout !== 'changed' || readFileSync(lower, 'utf8') !== 'original') {
        return limited(
          'a write through the overlay reached the file below it',
          'this kernel cannot keep replays away from your files: run deadheat in a throwaway virtual machine',
        );
      }
      return works('a file was changed in the sandbox and stayed as it was outside');
    }),
};
