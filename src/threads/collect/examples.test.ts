import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentRecord } from '../../linux/agent-channel.ts';
import { AccessFlag, DH_LOG_WINDOW, LockBits, LogOp } from '../../linux/agent-protocol.ts';
import { NONE, Op } from '../model/op.ts';
import { collected, MODULE } from './testdata/collected.ts';
import { WrittenLog } from './testdata/written-log.ts';

const { DH_READ, DH_WRITE } = AccessFlag;
const { DH_LOCK_MUTEX: MUTEX, DH_LOCK_RWLOCK: RWLOCK } = LockBits;
const LOCK = 0x4040;
const DATA = 0x5000;

/** Threads with names t1, t2, … */
const threads = (count: number): WrittenLog[] =>
  Array.from({ length: count }, (_, i) => new WrittenLog(1, i + 1, `t${i + 1}`));

/** Makes a variable of it, so that events show where accesses are. */
function write(log: WrittenLog, address = DATA): void {
  log.access(address, 4, DH_WRITE, 2);
}

const problem = (what: 'DH_PROBLEM_LOG_STOPPED' | 'DH_PROBLEM_BLOB', seq: number): AgentRecord => ({
  ...{ kind: 'problem', process: 1, what, thread: undefined, seq, errno: 28, text: '/tmp/x.log' },
});

describe('locks', () => {
  it('are let go of while their holder waits for a condition', () => {
    const [log] = threads(1) as [WrittenLog];
    log.sync(LogOp.DH_OP_ACQUIRE, 1, LOCK, MUTEX);
    log.sync(LogOp.DH_OP_WAIT_BEGIN, 2, 0x4100, LOCK);
    log.sync(LogOp.DH_OP_WAIT_END, 3, 0x4100, LOCK);
    log.sync(LogOp.DH_OP_RELEASE, 4, LOCK, MUTEX);
    expect(collected([log]).lines).toEqual([
      't1 acquire mutex 0x4040',
      't1 wait-begin condition 0x4100',
      't1 release mutex 0x4040',
      't1 acquire mutex 0x4040',
      't1 wait-end condition 0x4100',
      't1 release mutex 0x4040',
    ]);
  });

  it('may be taken again by their holder', () => {
    const [log] = threads(1) as [WrittenLog];
    for (const [i, op] of [1, 1, 2, 2].entries()) log.sync(op, i + 1, LOCK, MUTEX);
    const { lines, problems } = collected([log]);
    expect(lines.map((line) => line.split(' ')[1])).toEqual([
      ...['acquire', 'acquire', 'release', 'release'],
    ]);
    expect(problems).toEqual([]);
  });

  it('are shared by readers', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_ACQUIRE_SHARED, 1, LOCK, RWLOCK);
    two.sync(LogOp.DH_OP_ACQUIRE_SHARED, 2, LOCK, RWLOCK);
    one.sync(LogOp.DH_OP_RELEASE_SHARED, 3, LOCK, RWLOCK);
    two.sync(LogOp.DH_OP_RELEASE_SHARED, 4, LOCK, RWLOCK);
    const { lines, problems } = collected([one, two]);
    expect(lines).toEqual([
      't1 acquire-shared rwlock 0x4040',
      't2 acquire-shared rwlock 0x4040',
      't1 release-shared rwlock 0x4040',
      't2 release-shared rwlock 0x4040',
    ]);
    expect(problems).toEqual([]);
  });

  it('that were taken out of sight are not released', () => {
    const [log] = threads(1) as [WrittenLog];
    log.sync(LogOp.DH_OP_RELEASE, 1, LOCK, MUTEX);
    const { lines, problems } = collected([log]);
    expect(lines).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('1 unlock was left out')]);
  });

  it('that somebody else unlocks are released by their holder', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_ACQUIRE, 1, LOCK, MUTEX);
    two.sync(LogOp.DH_OP_RELEASE, 2, LOCK, MUTEX);
    two.sync(LogOp.DH_OP_ACQUIRE, 3, LOCK, MUTEX);
    const { lines, problems } = collected([one, two]);
    expect(lines).toEqual([
      't1 acquire mutex 0x4040',
      't1 release mutex 0x4040',
      't2 acquire mutex 0x4040',
    ]);
    expect(problems).toHaveLength(1);
  });

  it('are let go of at the end of a thread, so that a robust one can be taken', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_ACQUIRE, 1, LOCK, MUTEX);
    one.sync(LogOp.DH_OP_END, 2, 0x7000);
    two.sync(LogOp.DH_OP_ACQUIRE, 3, LOCK, MUTEX | LockBits.DH_LOCK_DEAD);
    const { lines, problems } = collected([one, two]);
    expect(lines).toEqual([
      't1 acquire mutex 0x4040',
      't1 release mutex 0x4040',
      't1 end t1',
      't2 acquire mutex 0x4040',
    ]);
    expect(problems).toEqual([]);
  });

  it('are new when they are initialised, or their memory is allocated again', () => {
    const [log] = threads(1) as [WrittenLog];
    const use = (seq: number): void => {
      log.sync(LogOp.DH_OP_ACQUIRE, seq, LOCK, MUTEX);
      log.sync(LogOp.DH_OP_RELEASE, seq + 1, LOCK, MUTEX);
    };
    use(1);
    use(3);
    log.sync(LogOp.DH_OP_DESTROY, 5, LOCK, MUTEX);
    log.sync(LogOp.DH_OP_INIT, 6, LOCK, MUTEX);
    use(7);
    log.memory(LogOp.DH_OP_FREE, 9, LOCK - 16, 64);
    use(10);
    log.memory(LogOp.DH_OP_ALLOCATE, 12, LOCK, 64);
    use(12);
    const { trace } = collected([log]);
    expect(trace.tables.locks.count).toBe(4);
    const targets = Array.from({ length: trace.length }, (_, i) => trace.targetAt(i));
    expect(targets).toEqual([0, 0, 0, 0, 1, 1, 2, 2, 3, 3]);
  });

  it('have the kind that their operations tell', () => {
    const [log] = threads(1) as [WrittenLog];
    const { DH_OP_POST, DH_OP_ARRIVE, DH_OP_ONCE_PASS, DH_OP_BROADCAST, DH_OP_ACQUIRE } = LogOp;
    const ops = [DH_OP_POST, DH_OP_ARRIVE, DH_OP_ONCE_PASS, DH_OP_BROADCAST];
    for (const [i, op] of ops.entries()) log.sync(op, i + 1, LOCK);
    log.sync(DH_OP_ACQUIRE, 9, LOCK, LockBits.DH_LOCK_SPIN | LockBits.DH_LOCK_TRY);
    const { trace } = collected([log]);
    const kinds = Array.from({ length: 5 }, (_, i) => trace.tables.locks.row(i).kind);
    expect(kinds).toEqual(['semaphore', 'barrier', 'once', 'condition', 'spinlock']);
  });
});

describe('the guard of an initialisation', () => {
  /** The first thread initialises, or tries to; the second looks at the guard. */
  function ops(extra: number): (string | undefined)[] {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.access(LOCK, 1, DH_READ, 1);
    one.sync(LogOp.DH_OP_ONCE_BEGIN, 2, LOCK);
    write(one);
    one.sync(LogOp.DH_OP_ONCE_END, 3, LOCK, extra);
    two.sync(LogOp.DH_OP_BEGIN, 1, 0);
    two.access(LOCK, 1, DH_READ, 1);
    two.access(DATA, 4, DH_READ, 3);
    return collected([one, two]).lines.map((line) => line.split(' ').slice(0, 2).join(' '));
  }

  it('is written when that is done: who looks at it then comes after', () => {
    expect(ops(0)).toEqual([
      ...['t2 begin', 't1 atomic-read', 't1 once-begin', 't1 write', 't1 once-end'],
      't1 atomic-write',
      ...['t2 atomic-read', 't2 read'],
    ]);
  });

  it('is not written when that was given up', () => {
    const GIVEN_UP = 1;
    expect(ops(GIVEN_UP)).toEqual([
      ...['t2 begin', 't2 read', 't1 once-begin', 't1 write', 't1 once-end'],
    ]);
  });
});

describe('memory', () => {
  it('that was allocated in the midst of a segment is not what others had there before', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    two.sync(LogOp.DH_OP_BEGIN, 8, 0x7000);
    one.sync(LogOp.DH_OP_BEGIN, 10, 0x7100);
    write(one);
    one.memory(LogOp.DH_OP_FREE, 14, DATA, 64);
    write(two);
    two.sync(LogOp.DH_OP_SIGNAL, 20, LOCK);
    // It stands late in the log.
    two.memory(LogOp.DH_OP_ALLOCATE, 16, DATA, 64);
    const { lines } = collected([one, two]);
    expect(lines).toEqual(['t2 begin t2', 't1 begin t1', 't2 signal condition 0x4040']);
  });

  it('that is published without a lock is shared all the same', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_BEGIN, 1, 0x7000);
    one.memory(LogOp.DH_OP_ALLOCATE, 2, DATA, 64);
    write(one);
    one.sync(LogOp.DH_OP_SIGNAL, 2, LOCK);
    two.sync(LogOp.DH_OP_BEGIN, 3, 0x7100);
    two.access(DATA, 2, DH_READ, 1);
    const { lines, trace } = collected([one, two]);
    expect(lines).toEqual([
      't1 begin t1',
      't1 allocate 64 bytes at 0x5000',
      't1 write 2 bytes at 0x5000',
      't1 signal condition 0x4040',
      't2 begin t2',
      't2 read 2 bytes at 0x5000',
    ]);
    // The other two bytes are nobody else's business.
    expect(trace.tables.variables.count).toBe(1);
    expect(trace.tables.variables.row(0)).toMatchObject({ address: DATA, size: 2, allocation: 0 });
  });

  it('is another after it was freed, even if nobody saw it being allocated', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_BEGIN, 1, 0x7000);
    two.sync(LogOp.DH_OP_BEGIN, 2, 0x7100);
    for (const log of [one, two]) write(log);
    two.memory(LogOp.DH_OP_FREE, 3, DATA, 64);
    one.sync(LogOp.DH_OP_SIGNAL, 4, LOCK);
    for (const log of [one, two]) write(log);
    const { trace } = collected([one, two]);
    const targets = Array.from({ length: trace.length }, (_, i) => [
      trace.opAt(i),
      trace.targetAt(i),
    ]);
    expect(targets.filter(([op]) => op === Op.write).map(([, variable]) => variable)).toEqual([
      ...[0, 0, 1, 1],
    ]);
  });

  it('that is reserved by the terabyte takes no time', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_BEGIN, 1, 0x7000);
    one.memory(LogOp.DH_OP_ALLOCATE, 2, 0x1000_0000_0000, 2 ** 31 - 1);
    one.range(0x1000_0000_1000, 2 ** 30, DH_WRITE, 0x9100);
    two.sync(LogOp.DH_OP_BEGIN, 2, 0x7100);
    two.access(0x1000_0000_2000, 8, DH_READ, 3);
    const { lines } = collected([one, two]);
    expect(lines.slice(-1)).toEqual(['t2 read 8 bytes at 0x100000002000']);
    expect(lines).toHaveLength(5);
  });
});

describe('places', () => {
  it('of calls are where they are in the image, also if they were made from a clone', () => {
    const [log] = threads(1) as [WrittenLog];
    log.sync(LogOp.DH_OP_POST, 1, LOCK, 0, MODULE.loadBase + 0x234);
    log.sync(LogOp.DH_OP_POST, 2, LOCK, 0, MODULE.blobBase + 0x10);
    log.sync(LogOp.DH_OP_POST, 3, LOCK, 0, MODULE.blobBase + 0x20);
    log.sync(LogOp.DH_OP_POST, 4, LOCK, 0, 0x7fff_0000);
    const { trace } = collected([log]);
    const sites = Array.from({ length: 4 }, (_, i) => trace.siteAt(i));
    expect(sites).toEqual([0, 0, 1, NONE]);
    const { sites: rows } = trace.tables;
    expect([rows.row(0).address, rows.row(1).address]).toEqual([0x233, 0x344]);
  });
});

describe('processes', () => {
  it('begin with the fork that made them, and have memory of their own', () => {
    const parent = new WrittenLog(1, 1, 'parent');
    const child = new WrittenLog(2, 1, 'child');
    parent.sync(LogOp.DH_OP_BEGIN, 1, 0x7000);
    write(parent);
    parent.sync(LogOp.DH_OP_SIGNAL, 2, LOCK);
    child.sync(LogOp.DH_OP_PROCESS_FORK, 2, 1, 1);
    write(child);
    child.sync(LogOp.DH_OP_SIGNAL, 3, LOCK);
    const { lines, trace, processes } = collected([parent, child]);
    expect(lines).toEqual([
      'parent begin parent',
      'parent process-fork child',
      'parent signal condition 0x4040',
      'child signal condition 0x4040',
    ]);
    expect(processes).toBe(2);
    expect(trace.tables.locks.count).toBe(2);
    expect(trace.tables.threads.row(1)).toMatchObject({ process: 1002, tid: 2001 });
  });

  it('have threads with the names that they were given last', () => {
    const logs = threads(2);
    for (const [i, log] of logs.entries()) log.sync(LogOp.DH_OP_BEGIN, i + 1, 0x7000);
    const name = { kind: 'thread', process: 1, thread: 2, tid: undefined, name: 'worker' } as const;
    const { trace } = collected(logs, [MODULE, name]);
    expect([0, 1].map((i) => trace.tables.threads.row(i).name)).toEqual(['t1', 'worker']);
  });
});

describe('a trace that lacks something', () => {
  it('ends where a log could not go on', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    for (const seq of [1, 3, 5]) one.sync(LogOp.DH_OP_SIGNAL, seq, LOCK);
    for (const seq of [2, 4, 6]) two.sync(LogOp.DH_OP_SIGNAL, seq, LOCK);
    const stopped = problem('DH_PROBLEM_LOG_STOPPED', 4);
    const { lines, problems } = collected([one, two], [MODULE, stopped]);
    expect(lines).toHaveLength(3);
    expect(problems).toEqual([expect.stringMatching(/ends early.*ENOSPC.*x\.log/)]);
  });

  it('goes on if only an image was not traced', () => {
    const [log] = threads(1) as [WrittenLog];
    log.sync(LogOp.DH_OP_SIGNAL, 9, LOCK);
    const { lines, problems } = collected([log], [MODULE, problem('DH_PROBLEM_BLOB', 1)]);
    expect([lines.length, problems.length]).toEqual([1, 1]);
  });

  it('ends where a log is damaged, for all threads', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    for (const seq of [1, 3]) one.sync(LogOp.DH_OP_SIGNAL, seq, LOCK);
    one.words.push(0xffn);
    one.sync(LogOp.DH_OP_SIGNAL, 5, LOCK);
    for (const seq of [2, 4, 6]) two.sync(LogOp.DH_OP_SIGNAL, seq, LOCK);
    const { lines, problems } = collected([one, two]);
    expect(lines).toEqual([1, 2, 1].map((i) => `t${i} signal condition 0x4040`));
    expect(problems).toEqual([expect.stringContaining('1-1.log is damaged')]);
  });

  it('ends where a file was cut', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    for (const seq of [1, 3, 5]) one.sync(LogOp.DH_OP_SIGNAL, seq, LOCK);
    two.sync(LogOp.DH_OP_SIGNAL, 6, LOCK);
    one.appended = one.words.length;
    const cut = (path: string): void => {
      if (path.endsWith('1-1.log')) truncateSync(path, DH_LOG_WINDOW + 40);
    };
    const { lines, problems } = collected([one, two], [MODULE], cut);
    expect(lines).toEqual(['t1 signal condition 0x4040']);
    expect(problems).toEqual([expect.stringContaining('its end is missing')]);
  });

  it('has nothing of a process of which a log is none, but does of one that was killed early', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_SIGNAL, 1, LOCK);
    const overwrite =
      (byte: number) =>
      (path: string): void => {
        if (!path.endsWith('1-2.log')) return;
        writeFileSync(path, Buffer.alloc(readFileSync(path).length, byte));
      };
    const spoilt = collected([one, two], [MODULE], overwrite(0x55));
    expect([spoilt.lines.length, spoilt.problems.length]).toEqual([0, 1]);
    const unwritten = collected([one, two], [MODULE], overwrite(0));
    expect([unwritten.lines.length, unwritten.problems.length]).toEqual([1, 0]);
  });

  it('says so if the channel was too small', () => {
    const { problems } = collected(threads(1), [MODULE], () => {}, 96);
    expect(problems).toEqual([expect.stringContaining('96 bytes')]);
  });
});

describe('repeated accesses', () => {
  it('are told once for each segment, with the first place', () => {
    const [one, two] = threads(2) as [WrittenLog, WrittenLog];
    one.sync(LogOp.DH_OP_BEGIN, 1, 0x7000);
    for (let i = 0; i < 3; i++) {
      one.access(DATA, 8, DH_WRITE, 3);
      one.run(DATA, 8, 10, 8, DH_READ, 3);
    }
    two.sync(LogOp.DH_OP_BEGIN, 2, 0x7100);
    two.run(DATA, 8, 10, 8, DH_WRITE, 3);
    const { trace } = collected([one, two]);
    const ops = Array.from({ length: trace.length }, (_, i) => trace.opAt(i));
    expect(ops.filter((op) => op === Op.write)).toHaveLength(11);
    expect(ops.filter((op) => op === Op.read)).toHaveLength(9);
  });
});
