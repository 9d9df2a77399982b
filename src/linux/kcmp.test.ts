import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pid } from './ids.ts';
import { canCompareFiles, isSameOpenFile, sharesMemory } from './kcmp.ts';
import { rawSyscall } from './raw-syscall.ts';

if (!canCompareFiles()) console.warn('skipped: no kcmp(2) here');

describe.runIf(canCompareFiles())('open files', () => {
  it('are the same after dup, but not after a second open', () => {
    const own = pid(process.pid);
    const first = openSync('/dev/null', 'r');
    const second = openSync('/dev/null', 'r');
    const copy = rawSyscall('dup', [first]);
    expect(isSameOpenFile(own, first, own, copy)).toBe(true);
    expect(isSameOpenFile(own, first, own, second)).toBe(false);
    for (const fd of [first, second, copy]) closeSync(fd);
    expect(isSameOpenFile(own, first, own, copy)).toBe(false);
  });

  it('are one thing, memory another: every process has its own', () => {
    expect(sharesMemory(pid(process.pid), pid(process.pid))).toBe(true);
    expect(sharesMemory(pid(process.pid), pid(process.ppid))).toBe(false);
    expect(sharesMemory(pid(process.pid), pid(4_190_000))).toBeUndefined();
  });
});
