/** What gets into the logs of several threads, and what stays out. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ElfFile } from '../src/binary/elf/elf-file.ts';
import { functionIndex } from '../src/binary/elf/symbol-index.ts';
import { imageAddress } from '../src/binary/image-address.ts';
import { LogKind, LogOp } from '../src/linux/agent-protocol.ts';
import { readLog } from './harness/agent-run.ts';
import { clonedRun, compiledForClones, type LoggedAccess } from './harness/cloned-run.ts';

function traced(part: string) {
  const program = compiledForClones('sharing.c', '-O2');
  const run = clonedRun(program, 'logging', part);
  expect(run).toMatchObject({ status: 0, stderr: '', skipped: [] });
  const functions = functionIndex(new ElfFile(readFileSync(program)));
  const nameOf = (site: number): string | undefined => functions.find(imageAddress(site))?.name;
  const place = (name: string): number =>
    Number.parseInt(new RegExp(`^${name} 0x([0-9a-f]+)$`, 'm').exec(run.stdout)?.[1] ?? '', 16);
  const of = (thread: string, name: string): LoggedAccess[] => run.accesses(thread, place(name));
  return { run, of, nameOf };
}

describe('memory of one thread', () => {
  it('stays out of a long log; when another thread comes, it says who was there before', () => {
    const { of, nameOf } = traced('limit');
    expect(of('1', 'early').map(({ flags }) => flags)).toEqual(['w']);
    expect(of('1', 'late')).toEqual([]);
    expect(of('1', 'alone')).toEqual([]);
    // What the first thread has logged itself is not told again.
    const kinds = (name: string): string[] => of('2', name).map(({ kind }) => kind);
    expect(kinds('early')).not.toContain('earlier');
    expect(kinds('late')).toEqual(['earlier', 'access']);
    const [earlier] = of('2', 'late');
    expect(earlier).toMatchObject({ flags: 'w', other: { thread: 1 } });
    expect(nameOf(earlier!.site)).toBe('write_late');
  });

  it('that was freed and allocated again is logged again', () => {
    const { run, of } = traced('reuse');
    expect(run.stdout).toContain('same 1');
    expect(of('1', 'block').map(({ flags }) => flags)).toEqual(['w', 'w']);
  });
});

describe('atomic accesses', () => {
  it('each have a place in the order', () => {
    const { run, of } = traced('atomics');
    expect(run.stdout).toContain('sum 1000');
    expect(of('2', 'counter')).toHaveLength(500);
    expect(of('3', 'counter')).toHaveLength(500);
    const places = ['2', '3'].flatMap((thread) => {
      const log = readLog(run.folder, thread);
      const found: number[] = [];
      while (log.next()) if (log.kind === LogKind.DH_LOG_ATOMIC) found.push(log.seq);
      expect(found).toEqual([...found].sort((a, b) => a - b));
      return found;
    });
    expect(new Set(places).size).toBe(1000);
  });

  it('that only wait for another thread do not flood the log', () => {
    const { of } = traced('spin');
    const seen = of('2', 'ready');
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen.length).toBeLessThan(10);
    expect(of('1', 'ready').map(({ kind, flags }) => `${kind} ${flags}`)).toEqual(['atomic w']);
  });

  it('may be those of a call', () => {
    const { run } = traced('calls');
    expect(run.stdout).toContain('called 1 1');
    // What is called takes a lock, and that is logged as ever.
    const log = readLog(run.folder, '1');
    const locks: number[] = [];
    while (log.next()) {
      if (log.kind === LogKind.DH_LOG_SYNC && log.op === LogOp.DH_OP_ACQUIRE) locks.push(log.seq);
    }
    expect(locks).toHaveLength(2);
  });
});

describe('a process that forks', () => {
  it('has a log of its own for the child', () => {
    const { run, of } = traced('forks');
    expect(run.stdout).toContain('child 5');
    expect(of('1-1', 'early').map(({ flags }) => flags)).toEqual(['w']);
    expect(of('2-1', 'early').map(({ flags }) => flags)).toEqual(['w']);
  });
});
