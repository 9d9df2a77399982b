/** doctor tells the truth: what it says is compared with what this machine lets us do another way. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  deadheat,
  deadheatAsPlainUser,
  type Ended,
  LAUNCHER,
  runToEnd,
} from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

interface Probe {
  name: string;
  status: 'ok' | 'limited' | 'missing';
  found: string;
  needed: string;
  remedy?: string;
}

function probes({ stdout }: Ended): Record<string, Probe> {
  const { probes } = JSON.parse(stdout) as { probes: Probe[] };
  return Object.fromEntries(probes.map((probe) => [probe.name, probe]));
}

const succeeds = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args).status === 0;

describe('deadheat doctor', () => {
  it('agrees with other programs about this machine', () => {
    const cwd = scratchFolder();
    const ended = deadheat(['doctor', '--json', '-'], { cwd });
    expect(ended.status).toBe(0);
    const found = probes(ended);
    const isOk = (name: string): boolean => found[name]?.status === 'ok';
    expect(isOk('ptrace')).toBe(succeeds('strace', '-o', '/dev/null', 'true'));
    expect(isOk('seccomp')).toBe(
      succeeds('strace', '-f', '--seccomp-bpf', '-o', '/dev/null', 'true'),
    );
    expect(isOk('sandbox')).toBe(succeeds('unshare', '-Urm', 'true'));
    expect(isOk('C compiler')).toBe(succeeds('cc', '--version'));
    // The set-up has fetched them.
    expect([isOk('QEMU'), isOk('kernel image')]).toEqual([true, true]);
    expect(isOk('agent')).toBe(true);
    for (const probe of Object.values(found)) {
      expect(probe.found).not.toBe('');
      expect(probe.needed).not.toBe('');
      expect(probe.status === 'ok' || probe.remedy !== undefined).toBe(true);
    }
  });

  it('says what root would add to a plain user', () => {
    const found = probes(deadheatAsPlainUser(['doctor', '--json', '-'], { cwd: scratchFolder() }));
    expect(found.eBPF).toMatchObject({ status: 'missing' });
    expect(found.eBPF?.remedy).toMatch(/root.*cap_bpf,cap_perfmon/);
    expect(found.ptrace?.status).toBe('ok');
    expect(found.sandbox?.status).toBe('ok');
    expect(found.machine?.found).toMatch(/root would add/);
  });

  it('notices when user namespaces are forbidden, and which setting does it', () => {
    const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" doctor --json -';
    const around = { cwd: scratchFolder() };
    const found = probes(runToEnd('unshare', ['-Ur', 'sh', '-c', forbid, LAUNCHER], around));
    expect(found.sandbox).toMatchObject({ status: 'missing' });
    expect(found.sandbox?.remedy).toMatch(/max_user_namespaces/);
  });

  it('does not promise eBPF where processes have numbers of their own', () => {
    const args = ['-pf', '--mount-proc', LAUNCHER, 'doctor', '--json', '-'];
    const found = probes(runToEnd('unshare', args, { cwd: scratchFolder() }));
    expect(found.eBPF?.status).not.toBe('ok');
    expect(found.eBPF?.remedy).toMatch(/--pid host|CAP_BPF|CONFIG_BPF/);
  });

  it('notices a missing compiler', () => {
    const env = { PATH: '/nowhere' };
    const found = probes(deadheat(['doctor', '--json', '-'], { cwd: scratchFolder(), env }));
    expect(found['C compiler']?.status).toBe('missing');
    expect(found['C compiler']?.remedy).toMatch(/apt-get install gcc/);
  });

  it('leaves nothing behind', () => {
    // Others may run it at the same time: it gets a folder for temporary files of its own.
    const [cwd, temporary] = [scratchFolder(), scratchFolder()];
    const state = (): string =>
      readFileSync('/proc/self/mounts', 'utf8') + readdirSync(temporary).join('\n');
    const before = state();
    expect(deadheat(['doctor'], { cwd, env: { TMPDIR: temporary } }).status).toBe(0);
    expect(state()).toBe(before);
  });

  it('shows progress on a terminal only, and clears it away', async () => {
    const cwd = scratchFolder();
    const session = await onTerminal(['deadheat', 'doctor'], cwd);
    expect(session.raw).toMatch(/\d+\/\d+ \w/);
    expect(session.text).toMatch(/✔ ok +ptrace/);
    expect(deadheat(['doctor'], { cwd }).stderr).toBe('');
    const quiet = await onTerminal(['deadheat', 'doctor', '--quiet'], cwd);
    expect(quiet.raw).not.toMatch(/\d+\/\d+ \w/);
  });
});
