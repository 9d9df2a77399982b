import { describe, expect, it } from 'vitest';
import { firedSlots, unwatch, watch } from './debug-registers.ts';
import { traceeAddress } from './ids.ts';
import { readRegisters, resume, seize } from './ptrace.ts';
import { Signal, sendSignal } from './signals.ts';
import { leaderOf, spawnStopped } from './spawn.ts';
import { FOLLOW_EVERYTHING, nextStop } from './tracee-stop.ts';

describe('hardware watchpoints', () => {
  it('stop a program when it writes to the watched word, until told not to', () => {
    const task = leaderOf(spawnStopped({ args: ['/bin/true'], environment: [] }));
    seize(task, FOLLOW_EVERYTHING);
    sendSignal(task, Signal.SIGCONT);
    while (nextStop(task)?.stop.kind !== 'execed') resume(task, 'freely');
    // The loader starts with a call, which pushes a return address below the stack pointer.
    const address = traceeAddress(readRegisters(task).stack - 8n);
    watch(task, 2, { address, size: 8, on: 'write' });
    resume(task, 'freely');
    expect(nextStop(task)?.stop).toEqual({ kind: 'signal', signal: Signal.SIGTRAP });
    expect(firedSlots(task)).toEqual([2]);
    expect(firedSlots(task)).toEqual([]);
    unwatch(task, 2);
    const kinds: string[] = [];
    while (kinds.at(-1) !== 'gone') {
      resume(task, 'freely');
      kinds.push(nextStop(task)?.stop.kind ?? 'gone');
    }
    expect(kinds).toEqual(['exiting', 'gone']);
  });
});
