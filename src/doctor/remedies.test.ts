/** Remedies for settings that this machine does not have: /proc is replaced by what a test says. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ExitStatus } from '../base/exit-status.ts';
import { setting } from '../linux/kernel-settings.ts';
import { perfRemedy } from '../linux/perf-remedy.ts';
import { namespaceRemedy, noSandbox } from '../linux/sandbox/remedies.ts';
import { SystemError } from '../linux/system-error.ts';
import { attachingRemedy, tracingRemedy } from './probes/ptrace.ts';

const files = vi.hoisted(() => new Map<string, string>());

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    readFileSync(path: string, ...rest: never[]) {
      if (!path.startsWith('/proc/sys/')) return fs.readFileSync(path, ...rest);
      const text = files.get(path);
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return text;
    },
  };
});

const set = (path: string, value: number) => files.set(`/proc/sys/${path}`, `${value}\n`);
const refusal = (code: string) => Object.assign(new Error(code), { code });

beforeEach(() => files.clear());

describe('remedies', () => {
  it('tell a setting of 0 from one that is not there', () => {
    set('kernel/zero', 0);
    expect(setting('kernel.zero')).toBe(0);
    expect(setting('kernel.none')).toBeUndefined();
  });

  it('for perf name the setting only when it is the culprit', () => {
    set('kernel/perf_event_paranoid', 3);
    const command = '`sudo sysctl kernel.perf_event_paranoid=2`';
    expect(perfRemedy(refusal('EACCES'), 'no counters')).toBe(
      `kernel.perf_event_paranoid is 3, needs <= 2: ${command}`,
    );
    expect(perfRemedy(refusal('ENOENT'), 'no counters')).toBe('no counters');
    set('kernel/perf_event_paranoid', 2);
    expect(perfRemedy(refusal('EACCES'), 'no counters')).not.toContain(command);
  });

  it('for ptrace follow Yama’s scope', () => {
    expect(attachingRemedy()).not.toContain('yama');
    set('kernel/yama/ptrace_scope', 1);
    expect(attachingRemedy()).toContain('is 1, needs 0 (or root)');
    expect(tracingRemedy()).not.toContain('yama');
    set('kernel/yama/ptrace_scope', 2);
    expect(tracingRemedy()).toContain('`sudo sysctl kernel.yama.ptrace_scope=1`');
    set('kernel/yama/ptrace_scope', 3);
    expect(tracingRemedy()).toContain('reboot');
    expect(attachingRemedy()).toContain('reboot');
  });

  it('for a program that is run again without its folder ask for that, not for another kernel', () => {
    const gone = new SystemError('chdir', ['/gone'], 2);
    expect(noSandbox(gone, true)).toMatchObject({
      remedy: expect.stringMatching(/^\/gone has to be there/),
      status: ExitStatus.usage,
    });
    expect(noSandbox(gone).remedy).toContain('CONFIG_USER_NS');
  });

  it('for namespaces name whichever setting forbids them', () => {
    set('user/max_user_namespaces', 1000);
    expect(namespaceRemedy()).toContain('CONFIG_USER_NS');
    set('kernel/apparmor_restrict_unprivileged_userns', 1);
    expect(namespaceRemedy()).toContain(
      '`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`',
    );
    set('kernel/unprivileged_userns_clone', 0);
    expect(namespaceRemedy()).toContain('`sudo sysctl kernel.unprivileged_userns_clone=1`');
    set('user/max_user_namespaces', 0);
    expect(namespaceRemedy()).toContain('user.max_user_namespaces is 0, needs > 0');
  });
});
