import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { tid } from './ids.ts';
import { OwnProcessor, processorOf } from './own-processor.ts';

const allowed = (): string =>
  /^Cpus_allowed_list:\t(.*)$/m.exec(readFileSync('/proc/thread-self/status', 'utf8'))![1]!;

it('follows others to where they ran, and may run anywhere again', async () => {
  const before = allowed();
  const last = String(availableParallelism() - 1);
  const other = spawn('taskset', ['-c', last, 'sh', '-c', 'echo; read x']);
  try {
    await once(other.stdout, 'data');
    const where = processorOf(tid(other.pid!));
    const own = new OwnProcessor();
    own.follow(tid(other.pid!));
    expect(allowed()).toBe(String(where));
    expect(where).toBe(Number(last));
    own.undo();
    expect(allowed()).toBe(before);
  } finally {
    other.stdin.end('\n');
    await once(other, 'close');
  }
});

it('stays where it is when the other is gone', () => {
  const before = allowed();
  const gone = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
  const own = new OwnProcessor();
  own.follow(tid(gone));
  expect(allowed()).toBe(before);
  own.undo();
});
