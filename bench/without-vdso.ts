/**
 * Runs a command, and does nothing but take the vDSO away from each of its programs: what it would cost to
 * see clock reads without stopping at any call. Every fork has to be followed to get to the next exec.
 *
 *   node without-vdso.js make -j2
 *
 * Two other ways were tried. A seccomp filter can tell us of each execve (SECCOMP_RET_USER_NOTIF), so that we need
 * be attached only from there to the end of the call: no fork stops, but it takes as long, since we have to be
 * woken twice. And a program in the kernel could write to the new program's stack (bpf_probe_write_user), at no
 * cost; but a kernel that is locked down, as with Secure Boot, does not load it.
 */
import { hideVdso } from '../src/linux/hidden-vdso.ts';
import type { Tid } from '../src/linux/ids.ts';
import { prepareProgram } from '../src/linux/prepare-program.ts';
import { listen, resume, setOptions, TraceOption } from '../src/linux/ptrace.ts';
import { startProgram } from '../src/linux/start-traced.ts';
import { ignoringTheDead, nextStop, type TraceeStop } from '../src/linux/tracee-stop.ts';

const { fork, vfork, clone, exec, killOnTracerExit } = TraceOption;

function goOn(task: Tid, stop: TraceeStop): void {
  if (stop.kind === 'gone') return;
  if (stop.kind === 'group-stop') return listen(task);
  if (stop.kind === 'execed') hideVdso(task);
  resume(task, 'freely', stop.kind === 'signal' ? stop.signal : 0);
}

const { task: root } = startProgram(prepareProgram(process.argv.slice(2)), () => {});
setOptions(root, fork | vfork | clone | exec | killOnTracerExit);
goOn(root, { kind: 'execed', formerTid: root });
for (let next = nextStop(); next; next = nextStop()) {
  const { task, stop } = next;
  ignoringTheDead(() => goOn(task, stop));
}
