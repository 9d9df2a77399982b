/**
 * The processor's debug registers through ptrace. Where will a program write for certain? At its
 * first instruction the dynamic loader is about to call a function, and so to push a return
 * address just below the stack pointer: that word is watched.
 */
import { tryTo } from '../../base/result.ts';
import { firedSlots, watch } from '../../linux/debug-registers.ts';
import { traceeAddress } from '../../linux/ids.ts';
import { readRegisters, resume } from '../../linux/ptrace.ts';
import { Signal } from '../../linux/signals.ts';
import { missing, type Probe, works } from '../probe.ts';
import { type TracedTask, withTracedProgram } from '../traced-program.ts';

const WORD = 8;

export const watchpointProbe: Probe = {
  name: 'watchpoints',
  usedBy: 'watch, confirmation by threads',
  needed: 'debug registers of the processor, set through ptrace',
  run() {
    const fired = tryTo(() => withTracedProgram(firesOnFirstPush));
    if (fired.ok)
      return works('a watched word of a traced program was written, and the watchpoint fired');
    return missing(
      fired.error.message,
      'needs ptrace (see above) and a machine that offers debug registers: some emulators and sandboxes do not; try on the host or on bare metal',
    );
  },
};

function firesOnFirstPush(program: TracedTask): void {
  const { task } = program;
  const address = traceeAddress(readRegisters(task).stack - BigInt(WORD));
  watch(task, 0, { address, size: WORD, on: 'write' });
  resume(task, 'freely');
  const change = program.next();
  if (change.kind !== 'stopped' || change.signal !== Signal.SIGTRAP) {
    throw new Error(`a watched word was written, but the program showed ${JSON.stringify(change)}`);
  }
  if (!firedSlots(task).includes(0)) {
    throw new Error('the program was trapped, but the debug status register names no watchpoint');
  }
}
