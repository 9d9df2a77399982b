/**
 * eBPF, the fast recorder's ground. Each kind of program is loaded and attached for a moment; the
 * raw tracepoint also has to deliver a record through a ring buffer.
 */

import { type Result, tryTo } from '../../base/result.ts';
import type { UserError } from '../../base/user-error.ts';
import {
  type BpfMap,
  closeBpf,
  createMap,
  loadProgram,
  openRawTracepoint,
  type ProgramDescription,
} from '../../linux/bpf.ts';
import { type KernelTypes, readKernelTypes } from '../../linux/btf.ts';
import {
  capabilityRemedy,
  effectiveCapabilities,
  isInUserNamespace,
  setting,
} from '../../linux/kernel-settings.ts';
import { mapShared, release } from '../../linux/native-memory.ts';
import { requireOutermostNamespace } from '../../linux/outermost-namespace.ts';
import { errorCode } from '../error-code.ts';
import { type Finding, limited, missing, type Probe, works } from '../probe.ts';

const RING_SIZE = 4096;
/** The second page of a mapped ring buffer begins with how far the kernel has written. */
const PRODUCER_PAGE = 4096;

/** BPF instructions in hexadecimal: code, registers, offset, immediate. */
const assemble = (...lines: string[]): Buffer =>
  Buffer.from(lines.join('').replaceAll(' ', ''), 'hex');
const RETURN_ZERO = ['b7 00 0000 00000000', '95 00 0000 00000000'];

export const bpfProbe: Probe = {
  name: 'eBPF',
  usedBy: 'procs and record, which otherwise use the slower ptrace',
  needed: 'raw tracepoint programs, a ring buffer, and the kernel’s types (BTF)',
  run() {
    const types = tryTo(() => readKernelTypes());
    const attempts: Record<string, Result<void>> = {
      'raw_tracepoint with ring buffer': tryTo(deliverThroughRing),
      BTF: types.ok ? { ok: true, value: undefined } : types,
      'kprobe (loading)': tryTo(() =>
        attach({ type: 'kprobe', name: 'kprobe', instructions: NOTHING }, false),
      ),
    };
    if (types.ok) Object.assign(attempts, attachByType(types.value));
    const loads = Object.keys(attempts).filter((name) => attempts[name]!.ok);
    const found = [
      loads.length > 0 ? `works: ${loads.join(', ')}` : 'nothing works',
      ...failures(attempts),
    ].join('; ');
    const enough = attempts['raw_tracepoint with ring buffer']!.ok && types.ok;
    if (enough) return inThisNamespace(found);
    return loads.some((name) => name !== 'BTF')
      ? limited(found, remedy())
      : missing(found, remedy());
  },
};

const NOTHING = assemble(...RETURN_ZERO);

/** A container with all capabilities may load programs; they still see other process numbers than it does. */
function inThisNamespace(found: string): Finding {
  const outermost = tryTo(requireOutermostNamespace);
  if (outermost.ok) return works(found);
  const { message, remedy } = outermost.error as UserError;
  return limited(`${found}; ${message}`, remedy);
}

/** Program types that are attached by the id of a function or tracepoint. */
function attachByType(types: KernelTypes): Record<string, Result<void>> {
  const program = { instructions: NOTHING, name: 'probe' };
  return {
    tp_btf: tryTo(() => {
      const attachTo = types.idOf('typedef', 'btf_trace_sched_process_exec');
      attach({ ...program, type: 'tracing', attachType: 'trace-raw-tracepoint', attachTo });
    }),
    fentry: tryTo(() => {
      const attachTo = types.idOf('function', 'vfs_fsync');
      attach({ ...program, type: 'tracing', attachType: 'trace-fentry', attachTo });
    }),
    lsm: tryTo(() => {
      const attachTo = types.idOf('function', 'bpf_lsm_sb_statfs');
      attach({ ...program, type: 'lsm', attachType: 'lsm', attachTo });
    }),
  };
}

function attach(description: ProgramDescription, andLink = true): void {
  const program = loadProgram(description);
  try {
    if (andLink) closeBpf(openRawTracepoint(program));
  } finally {
    closeBpf(program);
  }
}

function deliverThroughRing(): void {
  const ring = createMap({
    type: 'ring-buffer',
    keySize: 0,
    valueSize: 0,
    entries: RING_SIZE,
    name: 'probe',
  });
  try {
    recordSystemCalls(ring);
    const pages = mapShared(ring.fd, RING_SIZE, PRODUCER_PAGE, false);
    const written = pages.bytes.readBigUInt64LE(0);
    release(pages);
    if (written === 0n) throw new Error('programs load, but none of their records arrives');
  } finally {
    closeBpf(ring);
  }
}

function recordSystemCalls(ring: BpfMap): void {
  const fd = Buffer.alloc(4);
  fd.writeUInt32LE(ring.fd);
  const instructions = assemble(
    '7a 0a f8ff 00000000', // *(u64 *)(fp - 8) = 0
    `18 11 0000 ${fd.toString('hex')} 0000000000000000`, // r1 = ring
    'bf a2 0000 00000000', // r2 = fp
    '07 02 0000 f8ffffff', // r2 -= 8
    'b7 03 0000 08000000', // r3 = 8
    'b7 04 0000 00000000', // r4 = 0
    '85 00 0000 82000000', // bpf_ringbuf_output(r1, r2, r3, r4)
    ...RETURN_ZERO,
  );
  const program = loadProgram({ type: 'raw-tracepoint', name: 'probe', instructions });
  try {
    // Attaching and detaching are system calls themselves, so there is something to record.
    closeBpf(openRawTracepoint(program, 'sys_enter'));
  } finally {
    closeBpf(program);
  }
}

/** `fails: fentry, lsm (EOPNOTSUPP)`, one for each kind of error. */
function failures(attempts: Record<string, Result<void>>): string[] {
  const byReason = new Map<string, string[]>();
  for (const [name, attempt] of Object.entries(attempts)) {
    if (attempt.ok) continue;
    const reason = errorCode(attempt.error);
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  return [...byReason].map(([reason, names]) => `fails: ${names.join(', ')} (${reason})`);
}

function remedy(): string {
  if (isInUserNamespace()) return capabilityRemedy('CAP_BPF', 'CAP_PERFMON');
  const held = effectiveCapabilities();
  if (
    held.includes('CAP_SYS_ADMIN') ||
    (held.includes('CAP_BPF') && held.includes('CAP_PERFMON'))
  ) {
    return 'needs Linux 5.8 or newer with CONFIG_BPF_SYSCALL and CONFIG_DEBUG_INFO_BTF, not locked down (see /sys/kernel/security/lockdown)';
  }
  const disabled = setting('kernel.unprivileged_bpf_disabled');
  const aside = `kernel.unprivileged_bpf_disabled is ${disabled}, but even 0 would not allow tracing`;
  return `needs CAP_BPF and CAP_PERFMON (${aside}): ${capabilityRemedy('CAP_BPF', 'CAP_PERFMON')}`;
}
