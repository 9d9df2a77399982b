/**
 * One realistic report for each engine, as its users would get it, for the tests of the formats.
 * Functions, not constants: a test may bend its copy.
 */
import type { Access, Report, Site } from '../model.ts';

export const projectRoot = '/home/me/project';

/** A makefile that forgot that a.o needs obj/. Process race, no source, three generations. */
export function procsReport(): Report {
  const open: Site = { function: '__open64', module: '/usr/lib/libc.so.6', address: '0xf8a2d' };
  return {
    schema: 1,
    tool: 'deadheat',
    version: '0.1.0',
    engine: 'procs',
    command: ['make', '-j4'],
    run: 'procs-3',
    exit: { code: 0 },
    races: [
      {
        id: 'R1',
        kind: 'load-store',
        verdict: 'harmful',
        title: 'sh creates obj/ while cc1 writes obj/a.o',
        object: { type: 'dirent', name: '/home/me/project/obj' },
        accesses: [
          {
            process: 'cc1',
            pid: 14,
            thread: 14,
            op: 'load',
            what: 'openat(AT_FDCWD, "obj/a.o", O_CREAT)',
            site: open,
            stack: [open, { function: 'main', module: '/usr/libexec/cc1', address: '0x5120' }],
          },
          {
            process: 'sh',
            pid: 13,
            thread: 13,
            op: 'store',
            what: 'mkdir("obj", 0777)',
            site: {},
            stack: [],
          },
        ],
        steps: [
          { pid: 14, thread: 14, what: 'openat(AT_FDCWD, "obj/a.o", O_CREAT) = -ENOENT' },
          { pid: 13, thread: 13, what: 'mkdir("obj", 0777) = 0' },
          { pid: 14, thread: 14, what: 'exit_group(1)' },
        ],
        evidence: 'exit status 2 instead of 0:\nmake: *** [a.o] Error 1',
        replay: 'deadheat replay procs-3 R1',
        occurrences: 12,
      },
    ],
    tasks: [
      { pid: 12, thread: 12, process: 'make', command: ['make', '-j4'] },
      {
        pid: 13,
        thread: 13,
        process: 'sh',
        command: ['/bin/sh', '-e', './build.sh', 'obj'],
        parent: { pid: 12, thread: 12 },
        createdBy: { what: 'vfork()', stack: [{ function: '__vfork', module: 'libc.so.6' }] },
      },
      {
        pid: 14,
        thread: 14,
        process: 'cc1',
        command: ['cc1', '-quiet', 'a.c'],
        parent: { pid: 12, thread: 12 },
        createdBy: { what: 'vfork()' },
      },
    ],
    warnings: ['io_uring_enter was seen 3 times and is not modelled'],
    suppressed: { 'process:ccache': 2 },
    stats: { systemCalls: 48211, pairs: 17 },
  };
}

/** A thread pool with an unguarded counter: source lines, a witness, a hint that it is benign. */
export function threadsReport(): Report {
  const add = sourceFrame('add_job', 'queue.c', 41, '0x1a2c');
  const show = sourceFrame('report_progress', 'progress.c', 12, '0x1f40');
  const start = { function: 'start_thread', module: '/usr/lib/libc.so.6', address: '0x89133' };
  return {
    schema: 1,
    tool: 'deadheat',
    version: '0.1.0',
    engine: 'threads',
    command: ['./pool', '--workers', '4'],
    run: 'threads-1',
    exit: { code: 0 },
    races: [
      {
        id: 'R1',
        kind: 'data-race',
        verdict: 'confirmed',
        title: 'add_job writes jobs_done[0] while report_progress reads it',
        object: { type: 'memory', name: 'jobs_done[0]' },
        accesses: [
          memoryAccess('write', '4 bytes at 0x55d0c4', 22, add, [add, start]),
          memoryAccess('read', '4 bytes at 0x55d0c4', 23, show, [show, start]),
        ],
        steps: [
          { pid: 20, thread: 22, what: 'lock(&queue_lock)', site: add },
          { pid: 20, thread: 23, what: 'read jobs_done[0]', site: show },
          { pid: 20, thread: 22, what: 'write jobs_done[0]', site: add },
        ],
        benign: 'statistics counter',
        occurrences: 1,
      },
    ],
    tasks: [
      { pid: 20, thread: 20, process: 'pool', command: ['./pool', '--workers', '4'] },
      {
        pid: 20,
        thread: 22,
        process: 'pool',
        parent: { pid: 20, thread: 20 },
        createdBy: { what: 'pthread_create', site: sourceFrame('main', 'main.c', 9, '0x1100') },
      },
    ],
    stats: {},
  };
}

/** The same before it was run: named threads, and the steps that lead to the race. */
export function predictedReport(): Report {
  const { races, tasks = [], ...rest } = threadsReport();
  const [first, second] = races[0]!.accesses;
  const at = (line: number): Site => sourceFrame('f', 'main.c', line, '0x1100');
  return {
    ...rest,
    races: [
      {
        ...races[0]!,
        verdict: 'predicted',
        accesses: [
          { ...first!, threadName: 'worker#1' },
          { ...second!, threadName: 'worker#2' },
        ],
        steps: [
          { pid: 20, thread: 20, threadName: 'main', what: 'fork worker#1', site: at(9) },
          { pid: 20, thread: 22, threadName: 'worker#1', what: 'acquire m' },
        ],
        earlierSteps: 3,
        rung: 'happens-before',
        certain: false,
      },
    ],
    tasks: tasks.map((task) => ({ ...task, threadName: task.parent ? 'worker#1' : 'main' })),
  };
}

/** A running server that was attached to: no command, no exit, only predicted. */
export function sampleReport(): Report {
  const site = { module: '/usr/sbin/server', address: '0x4f10' };
  return {
    ...threadsReport(),
    engine: 'sample',
    command: [],
    run: 'sample-2',
    exit: undefined,
    races: [
      {
        id: 'R1',
        kind: 'unlocked-access',
        verdict: 'predicted',
        title: 'two threads update the same word without a common lock',
        object: { type: 'heap', name: 'block of 64 bytes' },
        accesses: [
          { ...memoryAccess('write', 'sampled 31 times', 41, site, []), locks: ['table_lock'] },
          { ...memoryAccess('write', 'sampled 8 times', 42, site, []), locks: [] },
        ],
        confidence: 'medium',
        occurrences: 39,
      },
    ],
    remarks: ['a race of one in 1,000 accesses would most likely have been found by now (99%)'],
    tasks: undefined,
  };
}

/** A race in the kernel: processors instead of threads, symbols but no files. */
export function watchReport(): Report {
  const race = sampleReport().races[0]!;
  const tick = { function: 'tick_do_update', module: 'vmlinux', address: '0xffffffff8112' };
  const timer = { function: 'tick_sched_timer', module: 'vmlinux', address: '0xffffffff8340' };
  const idle = { function: 'do_idle', module: 'vmlinux', address: '0xffffffff8b04' };
  const stacks = [
    [tick, timer],
    [tick, timer, idle],
  ];
  return {
    ...sampleReport(),
    engine: 'watch',
    run: 'watch-7',
    races: [
      {
        ...race,
        kind: 'data-race',
        verdict: 'confirmed',
        object: { type: 'memory', name: 'jiffies_64' },
        accesses: race.accesses.map((access, i) => ({ ...access, site: tick, stack: stacks[i]! })),
      },
    ],
  };
}

/** A race that was held off, and one that could not be. */
export function tolerateReport(): Report {
  const race = threadsReport().races[0]!;
  return {
    ...threadsReport(),
    engine: 'tolerate',
    run: 'tolerate-1',
    exit: { signal: 'SIGSEGV' },
    races: [
      {
        ...{ ...race, kind: 'asymmetric-race', verdict: 'tolerated' },
        resolution: { ...RESOLUTION, class: 'IVb', kept: 'section' },
      },
      {
        ...{ ...race, id: 'R2', kind: 'asymmetric-race', verdict: 'detected' },
        resolution: { ...RESOLUTION, class: 'IVc', kept: 'others' },
      },
    ],
  };
}

const RESOLUTION = { lock: 'queue_lock', found: '0x5', section: '0x6', others: '0x9' };

export const allReports = {
  procs: procsReport,
  threads: threadsReport,
  prediction: predictedReport,
  sample: sampleReport,
  watch: watchReport,
  tolerate: tolerateReport,
};

function sourceFrame(name: string, file: string, line: number, address: string): Site {
  return { function: name, file: `${projectRoot}/src/${file}`, line, module: './pool', address };
}

function memoryAccess(op: string, what: string, thread: number, site: Site, stack: Site[]): Access {
  return { process: 'pool', pid: 20, thread, op, what, site, stack };
}
