/**
 * Choosing process ids, so that a replayed program sees the ids of its recording: inside a pid
 * namespace of our own, the id after the one written to ns_last_pid is the next to be given out.
 */
import { MASKED_PROC_REMEDY, namespaceRemedy } from '../../linux/sandbox/remedies.ts';
import { runCommand } from '../command.ts';
import { missing, type Probe, works } from '../probe.ts';

const ENTER = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc'];
const WANTED = 4242;
/** The last command keeps the shell from becoming the process that is asked for its id. */
const CHOOSE = `
echo ${WANTED - 1} > /proc/sys/kernel/ns_last_pid
sh -c 'echo $$'
:`;

export const nextPidProbe: Probe = {
  name: 'process ids',
  usedBy: 'procs validate, replay',
  needed: 'choosing the next process id in a fresh pid namespace',
  async run(signal) {
    const enter = await runCommand('unshare', [...ENTER, 'sh', '-ec', ':'], { signal });
    if (enter.code !== 0) {
      const isMasked = enter.complaint.includes('/proc');
      return missing(enter.complaint, isMasked ? MASKED_PROC_REMEDY : namespaceRemedy());
    }
    const chosen = await runCommand('unshare', [...ENTER, 'sh', '-ec', CHOOSE], { signal });
    if (chosen.code === 0 && chosen.stdout === String(WANTED)) {
      return works(`asked for process id ${WANTED} and got it`);
    }
    return missing(
      chosen.complaint || `asked for process id ${WANTED} and got ${chosen.stdout}`,
      'needs a kernel with CONFIG_CHECKPOINT_RESTORE and a writable /proc/sys: without it, programs that store process ids may not replay',
    );
  },
};
