/** Probes of the kernel itself, against what can be known without them. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tryTo } from '../../base/result.ts';
import type { Tid } from '../../linux/ids.ts';
import { effectiveCapabilities } from '../../linux/kernel-settings.ts';
import type { Probe } from '../probe.ts';
import { TracedTask, withTracedProgram } from '../traced-program.ts';
import { bpfProbe } from './bpf.ts';
import { ptraceProbe } from './ptrace.ts';
import { seccompProbe } from './seccomp.ts';

const run = async (probe: Probe) => probe.run(new AbortController().signal);
const held = effectiveCapabilities();
const read = (path: string): string => {
  const text = tryTo(() => readFileSync(path, 'utf8').trim());
  return text.ok ? text.value : '';
};

describe('the kernel probes', () => {
  it('find ptrace as far as Yama lets it', async () => {
    const scope = Number(read('/proc/sys/kernel/yama/ptrace_scope'));
    const mayAttach = scope === 0 || (scope < 3 && held.includes('CAP_SYS_PTRACE'));
    expect((await run(ptraceProbe)).status).toBe(
      mayAttach ? 'ok' : scope === 1 ? 'limited' : 'missing',
    );
  });

  it('find seccomp where the kernel lists its action', async () => {
    const listed = read('/proc/sys/kernel/seccomp/actions_avail').split(' ').includes('trace');
    expect((await run(seccompProbe)).status).toBe(listed ? 'ok' : 'missing');
  });

  it('never find eBPF for a user without capabilities, and say which are needed', async () => {
    const finding = await run(bpfProbe);
    const hasBtf = existsSync('/sys/kernel/btf/vmlinux');
    expect(/works:[^;]*BTF/.test(finding.found)).toBe(hasBtf);
    if (held.includes('CAP_SYS_ADMIN')) return;
    expect(finding).toMatchObject({ remedy: expect.stringContaining('CAP_BPF and CAP_PERFMON') });
  });
});

describe('a traced program', () => {
  it('is gone afterwards, also when a probe throws', () => {
    let task: Tid | undefined;
    const attempt = tryTo(() =>
      withTracedProgram((program) => {
        task = program.task;
        expect(program).toBeInstanceOf(TracedTask);
        expect(existsSync(`/proc/${task}`)).toBe(true);
        throw new Error('on purpose');
      }),
    );
    expect(attempt).toMatchObject({ ok: false, error: { message: 'on purpose' } });
    expect(existsSync(`/proc/${task}`)).toBe(false);
  });
});
