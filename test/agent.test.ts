/** The agent inside real programs: what it logs of each family of calls, in the order they are made. */
import { describe, expect, it } from 'vitest';
import { LogKind, LogOp } from '../src/linux/agent-protocol.ts';
import { agentRun, compiled, readLog } from './harness/agent-run.ts';

describe('what is logged', () => {
  it('of locks: what was got, not what was refused', () => {
    const run = agentRun(compiled('locks.c'));
    expect(run.status).toBe(7);
    expect(run.threads('1')).toEqual([
      'begin',
      ...['init recursive mutex', 'init checked mutex', 'init robust mutex', 'init adaptive mutex'],
      ...['acquire normal', 'release normal', 'acquire normal try', 'release normal'],
      ...['acquire normal timed', 'release normal', 'acquire normal timed', 'release normal'],
      ...['acquire adaptive', 'release adaptive'],
      ...['acquire recursive', 'acquire recursive', 'release recursive', 'release recursive'],
      'acquire checked',
      ...['fork 2', 'join 2', 'acquire robust dead', 'release robust'],
      ...['init rwlock rwlock', 'init heldrw rwlock'],
      ...['acquire-shared rwlock', 'acquire-shared rwlock try'],
      ...['acquire-shared rwlock timed', 'acquire-shared rwlock timed'],
      ...new Array(4).fill('release-shared rwlock'),
      ...['acquire rwlock', 'release rwlock', 'acquire rwlock try', 'release rwlock'],
      ...['acquire rwlock timed', 'release rwlock', 'acquire rwlock timed', 'release rwlock'],
      'destroy rwlock rwlock',
      ...['init spin spin', 'init heldspin spin', 'acquire spin', 'release spin'],
      ...['acquire spin try', 'release spin', 'destroy spin spin'],
      ...['acquire held', 'acquire heldrw', 'acquire heldspin', 'fork 3', 'join 3'],
      'destroy recursive mutex',
    ]);
    expect(run.threads('2')).toEqual(['begin', 'acquire robust', 'end']);
    expect(run.threads('3')).toEqual(['begin', 'end']);
  });

  it('of conditions, semaphores, barriers and once', () => {
    const run = agentRun(compiled('waits.c'));
    expect(run.status).toBe(0);
    const first = run.threads('1');
    // A wait may be woken for nothing, and goes on then.
    const wait = ['wait-begin condition mutex', 'wait-end condition mutex'];
    const from = first.indexOf('fork 2') + 1;
    const to = first.indexOf('release mutex', from);
    expect(first.slice(from, from + 2)).toEqual(wait);
    expect(new Set(first.slice(from, to))).toEqual(new Set(wait));
    first.splice(from, to - from);
    expect(first).toEqual([
      'begin',
      ...['init condition condition', 'init semaphore semaphore', 'init barrier barrier'],
      ...[
        'once-begin once',
        'once-begin inner',
        'once-end inner',
        'once-end once',
        'once-pass once',
      ],
      ...new Array(3).fill('wait-done semaphore'),
      ...['post semaphore', 'wait-done semaphore'],
      ...['acquire mutex', ...wait, ...wait, 'fork 2'],
      ...['release mutex', 'broadcast condition', 'arrive barrier', 'leave barrier'],
      ...['wait-done semaphore', 'join 2'],
      ...['destroy condition condition', 'destroy semaphore semaphore', 'destroy barrier barrier'],
    ]);
    expect(run.threads('2')).toEqual([
      ...['begin', 'acquire mutex', 'signal condition', 'release mutex'],
      ...['arrive barrier', 'leave barrier', 'once-pass once', 'post semaphore', 'end'],
    ]);
  });

  it('of threads, however they end', () => {
    const run = agentRun(compiled('threads.c'));
    expect(run.status).toBe(0);
    expect(run.threads('1')).toEqual([
      ...['begin', 'init begun semaphore', 'init done semaphore'],
      ...['fork 2', 'join 2', 'fork 3', 'join 3'],
      ...['fork 4', 'wait-done begun', 'cancel 4', 'join 4', 'fork 5', 'join 5'],
      ...[
        'fork 6',
        'wait-done begun',
        'cancel 6',
        'join 6',
        'fork 7',
        'detach 7',
        'wait-done done',
      ],
    ]);
    for (const thread of ['2', '3']) expect(run.threads(thread)).toEqual(['begin', 'end']);
    // Cancelled while it waits, it holds the mutex again before its cleanup handler gives it back.
    const cancelled = run.threads('4');
    expect(cancelled.slice(0, 4)).toEqual([
      ...['begin', 'acquire held', 'post begun', 'wait-begin condition held'],
    ]);
    expect(cancelled.slice(-3)).toEqual(['wait-end condition held', 'release held', 'end']);
    const destructor = ['acquire mutex', 'release mutex'];
    const rounds = [...destructor, ...destructor, ...destructor];
    expect(run.threads('5')).toEqual(['begin', ...rounds, 'end']);
    expect(run.threads('6')).toEqual(['begin', 'post begun', 'end']);
    expect(run.threads('7').slice(0, 2)).toEqual(['begin', 'post done']);
    expect(run.records).toContainEqual({
      ...{ kind: 'thread', process: 1, thread: 7, tid: undefined, name: 'loose one' },
    });
  });

  it('of C11 threads: the same', () => {
    const run = agentRun(compiled('c11.c'));
    expect(run.status).toBe(0);
    const wait = ['wait-begin condition mutex', 'wait-end condition mutex'];
    expect(run.threads('1').filter((line) => !wait.includes(line))).toEqual([
      ...['begin', 'init mutex mutex', 'init timed mutex', 'init condition condition'],
      ...['once-begin once', 'once-end once', 'acquire timed timed', 'release timed'],
      ...['acquire timed try', 'wait-begin condition timed', 'wait-end condition timed'],
      ...['release timed', 'acquire mutex', 'fork 2', 'release mutex', 'join 2'],
      ...['fork 3', 'detach 3', 'broadcast condition'],
      ...['destroy condition condition', 'destroy mutex mutex'],
    ]);
    expect(run.threads('2')).toEqual([
      ...['begin', 'once-pass once', 'acquire mutex', 'signal condition', 'release mutex', 'end'],
    ]);
  });

  it('of memory: each block that is kept, with its size, and none that came and went', () => {
    const run = agentRun(compiled('memory.c', 'cc', '-fno-builtin'));
    expect(run.status).toBe(0);
    const log = readLog(run.folder, '1');
    const logged = new Map<number, number>();
    let records = 0;
    while (log.next()) {
      if (log.kind !== LogKind.DH_LOG_MEMORY) continue;
      records++;
      if (log.op === LogOp.DH_OP_ALLOCATE) logged.set(log.address, log.length);
    }
    const kept = run.stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number) as [number, number]);
    expect(kept).toHaveLength(2013);
    expect(kept.filter(([address, size]) => logged.get(address) !== size)).toEqual([]);
    // 20,000 rounds of blocks that were freed at once could have left 80,000 records.
    expect(records).toBeLessThan(3000);
  });

  it('of conditions of another age: nothing, and they work', () => {
    const run = agentRun(compiled('old-condition.c'));
    expect(run.status).toBe(4);
    expect(run.threads('1').filter((op) => /wait|signal/.test(op))).toEqual([]);
  });
});
