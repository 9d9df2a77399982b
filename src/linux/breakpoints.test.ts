import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BreakpointCode, Breakpoints, INT3 } from './breakpoints.ts';
import { pid, type Tid, type TraceeAddress, tid, traceeAddress } from './ids.ts';
import { programEntry } from './loader.ts';
import { PLAIN_INHERITANCE } from './own-inheritance.ts';
import { readMemory, writeCode } from './process-memory.ts';
import { detach, readRegisters, resume, writeRegisters } from './ptrace.ts';
import { Signal, sendSignal } from './signals.ts';
import { startProgram } from './start-traced.ts';
import { endTracee, nextStop, type TraceeStop } from './tracee-stop.ts';

/** Counts to ten with the instruction at `add`, says so by its status, and forks after five. */
const PROGRAM = `
.globl _start, add
_start: lea count(%rip), %rbx
        mov $10, %ebp
again:  cmp $5, %ebp
        jne add
        mov FORK, %eax
        syscall
add:    addl $1, (%rbx)
        dec %ebp
        jnz again
        mov (%rbx), %edi
        mov $60, %eax
        syscall
.bss
count:  .long 0
`;
/** System calls, <asm/unistd_64.h>; 39 is getpid, which changes nothing. */
const FORK = 57;
const VFORK = 58;
const NEITHER = 39;

const ADD = Buffer.from([0x83, 0x03, 0x01]);

const addAt = (address: bigint): BreakpointCode => ({
  bytes: ADD,
  copyFor: (place) => {
    const code = Buffer.alloc(8);
    ADD.copy(code);
    code[3] = 0xe9;
    code.writeInt32LE(Number(address + 3n - (place + 8n)), 4);
    const places = [
      { at: 0, address, pushed: 0 },
      { at: 3, address: address + 3n, pushed: 0 },
    ];
    return { code, places };
  },
});

interface Started {
  task: Tid;
  add: TraceeAddress;
  breakpoints: Breakpoints;
}

/** At its first instruction, with a breakpoint at `add`. */
function started(call: number): Started {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-breakpoints-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [source, path] = [join(folder, 'count.s'), join(folder, 'count')];
  writeFileSync(source, PROGRAM.replace('FORK', `$${call}`));
  execFileSync('cc', ['-nostdlib', '-static', '-o', path, source]);
  const line = execFileSync('nm', [path], { encoding: 'utf8' }).split('\n');
  const add = traceeAddress(BigInt(`0x${line.find((one) => one.endsWith(' add'))!.split(' ')[0]}`));
  const program = { path, args: ['count'], environment: [], inheritance: PLAIN_INHERITANCE };
  const { task } = startProgram(program, () => {});
  onTestFinished(() => endTracee(task));
  const entry = programEntry(pid(task))!;
  const original = readMemory(task, entry, 1);
  writeCode(task, entry, INT3);
  resume(task, 'freely');
  expect(nextStop(task)?.stop).toEqual({ kind: 'signal', signal: Signal.SIGTRAP });
  writeCode(task, entry, original);
  const registers = readRegisters(task);
  registers.set('rip', entry);
  writeRegisters(task, registers);
  const breakpoints = new Breakpoints(pid(task), entry);
  breakpoints.insert(task, add, addAt(add));
  resume(task, 'freely');
  return { task, add, breakpoints };
}

function next(task: Tid): TraceeStop {
  return nextStop(task)!.stop;
}

/** To the next stop at the breakpoint; how often it stopped for something else. */
function toBreakpoint({ task, breakpoints }: Started): boolean {
  const stop = next(task);
  return stop.kind === 'signal' && breakpoints.hitBy(task) !== undefined;
}

/** How it ends, if nothing else happens to it. */
function end(task: Tid): number {
  let stop = next(task);
  for (; stop.kind !== 'gone'; stop = next(task)) resume(task, 'freely');
  return stop.status >> 8;
}

describe('a breakpoint', () => {
  it('stops a thread each time it comes there, and leaves what it does as it is', () => {
    const all = started(NEITHER);
    for (let time = 0; time < 10; time++) {
      expect(toBreakpoint(all)).toBe(true);
      expect(readRegisters(all.task).instruction).toBe(all.add);
      all.breakpoints.pass(all.task, all.add);
    }
    expect(end(all.task)).toBe(10);
  });

  it('is gone once it is removed, and the code is as it was', () => {
    const all = started(NEITHER);
    expect(toBreakpoint(all)).toBe(true);
    all.breakpoints.removeAll();
    expect(readMemory(all.task, all.add, 3)).toEqual(ADD);
    resume(all.task, 'freely');
    expect(end(all.task)).toBe(10);
  });

  it('lets one instruction pass, and no more', () => {
    const all = started(NEITHER);
    const { task, add, breakpoints } = all;
    expect(toBreakpoint(all)).toBe(true);
    const count = traceeAddress(readRegisters(task).get('rbx'));
    expect(breakpoints.passAndStop(task, add)).toBeUndefined();
    expect(readRegisters(task).instruction).toBe(add + 3n);
    expect(readMemory(task, count, 4).readUInt32LE()).toBe(1);
    breakpoints.removeAll();
    resume(task, 'freely');
    expect(end(task)).toBe(10);
  });

  it('is where a thread stands that a signal has found in the copy', () => {
    const all = started(NEITHER);
    const { task, add, breakpoints } = all;
    expect(toBreakpoint(all)).toBe(true);
    sendSignal(task, Signal.SIGWINCH);
    expect(breakpoints.passAndStop(task, add)).toEqual({
      kind: 'signal',
      signal: Signal.SIGWINCH,
    });
    expect(readRegisters(task).instruction).toBe(add);
    resume(task, 'freely');
    expect(toBreakpoint(all)).toBe(true);
    breakpoints.removeAll();
    resume(task, 'freely');
    expect(end(task)).toBe(10);
  });

  it.each([
    ['copied by fork, from where it is removed', FORK, false],
    ['shared with a child of vfork', VFORK, true],
  ])('is %s', (_, call, isShared) => {
    const all = started(call);
    const { task, add, breakpoints } = all;
    for (let time = 0; time < 5; time++) {
      expect(toBreakpoint(all)).toBe(true);
      breakpoints.pass(task, add);
    }
    const stop = next(task);
    const child = stop.kind === 'forked' ? stop.child : tid(0);
    onTestFinished(() => endTracee(child));
    expect(next(child)).toEqual({ kind: 'started' });
    expect(breakpoints.isSharedWith(pid(child))).toBe(isShared);
    expect(readMemory(child, add, 1)[0]).toBe(INT3[0]);
    if (isShared) return;
    breakpoints.removeFromCopy(pid(child));
    expect(readMemory(child, add, 3)).toEqual(ADD);
    expect(readMemory(task, add, 1)[0]).toBe(INT3[0]);
    detach(child);
  });
});
