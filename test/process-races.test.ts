/**
 * Small racy programs and their twins, which do the same in order: all of them real programs under
 * real recorders, in the spirit of the suite with which RacePro was tested. What each is about is
 * said in its file in process-races/. All racy ones are recorded together, and all twins.
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { extname, join, parse } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, openFolder, recordBatch } from './harness/batch.ts';
import { deadheat, deadheatAsPlainUser, PROJECT, runToEnd } from './harness/deadheat.ts';

const SOURCES = join(PROJECT, 'test/process-races');

/**
 * What each racy program is found to do, and nothing else, as `KIND OBJECT: CALL ‖ CALL`. Where
 * programs that nobody here wrote take part, in which calls depends on the day: then there must be
 * some, and all must look like this. So it is where two share a position, of which ptrace may learn
 * too late to tell what each has written.
 */
const RACES: Record<string, readonly string[] | RegExp> = {
  'read-write': ['load-store data: pread64 ‖ pwrite64'],
  'overlapping-writes': ['load-store data: write ‖ write'],
  'positioned-writes': ['load-store data: pwrite64 ‖ pwrite64'],
  'one-file-or-two': ['load-store data: pwrite64 ‖ pwrite64'],
  'read-write-write': [
    'load-store data: pread64 ‖ pwrite64',
    'load-store data: pwrite64 ‖ pwrite64',
  ],
  'truncate-read': ['load-store data: pread64 ‖ truncate'],
  'write-in-place': /^load-store data: .*pread64/,
  'append-log': ['load-store data: write ‖ write'],
  'shared-position': /^load-store data: write ‖ write$/,
  'passed-descriptor': /^load-store data: write ‖ write$/,
  'shared-mapping': ['load-store data: mmap ‖ mmap'],
  'two-names': ['load-store second: pwrite64 ‖ pwrite64'],
  'unlink-stat': ['load-store data: newfstatat ‖ unlink'],
  'create-list': ['load-store folder: getdents64 ‖ openat'],
  'mkdir-twice': ['load-store folder: mkdir ‖ mkdir'],
  'lock-file': ['load-store lock: openat ‖ openat'],
  'symlink-readlink': ['load-store link: readlink ‖ symlink'],
  'link-open': ['load-store second: link ‖ openat'],
  'chmod-access': ['load-store data: access ‖ chmod'],
  'exit-exit-wait': ['wait-wakeups children of process #: exit ‖ exit ‖ wait4'],
  'parent-exit': ['load-store process #: exit ‖ getppid'],
  'kill-exit': ['load-store process #: exit ‖ kill'],
  'credentials-kill': ['load-store process #: kill ‖ setresuid'],
  'credentials-status': ['load-store process #: read ‖ setresuid'],
  'signal-before-handler': ['signal SIGUSR1: SIGUSR1 arrives ‖ kill ‖ rt_sigaction'],
  'signal-blocked': ['signal SIGUSR1: SIGUSR1 arrives ‖ kill ‖ rt_sigaction'],
  'signal-unblocked': ['signal SIGUSR1: SIGUSR1 arrives ‖ kill ‖ rt_sigaction'],
  'signal-order': ['load-store data: pread64 ‖ pwrite64'],
  'child-signal': ['load-store data: pread64 ‖ pwrite64'],
  'child-signal-only': ['load-store data: pread64 ‖ pwrite64'],
  'pipe-order': ['load-store data: pwrite64 ‖ pwrite64'],
  'pipe-end': ['load-store data: pread64 ‖ pwrite64'],
  fifo: ['load-store data: pread64 ‖ pwrite64'],
  'fifo-open': ['load-store data: pread64 ‖ pwrite64'],
  socketpair: ['load-store data: pread64 ‖ pwrite64'],
  datagrams: ['load-store data: pread64 ‖ pwrite64'],
  'unix-socket': ['load-store data: pread64 ‖ pwrite64'],
  'connect-before-listen': [
    'load-store socket: bind ‖ connect',
    'load-store socket: connect ‖ listen',
  ],
  'connect-after-listen': [
    'load-store socket: bind ‖ connect',
    'load-store socket: connect ‖ listen',
  ],
  tcp: ['load-store data: pread64 ‖ pwrite64'],
  eventfd: ['load-store data: pread64 ‖ pwrite64'],
  'message-queue': ['load-store data: pread64 ‖ pwrite64'],
  'posix-message-queue': ['load-store data: pread64 ‖ pwrite64'],
  inotify: ['load-store data: pread64 ‖ pwrite64'],
  poll: ['load-store data: pread64 ‖ pwrite64'],
  select: ['load-store data: pread64 ‖ pwrite64'],
  epoll: ['load-store data: pread64 ‖ pwrite64'],
  flock: ['load-store data: pread64 ‖ pwrite64', 'load-store data: pwrite64 ‖ pwrite64'],
  'semaphore-lock': ['load-store data: pread64 ‖ pwrite64', 'load-store data: pwrite64 ‖ pwrite64'],
  'range-locks': ['load-store data: pread64 ‖ pwrite64', 'load-store data: pwrite64 ‖ pwrite64'],
  'shared-locks': ['load-store data: pread64 ‖ pwrite64'],
  'two-accept': ['wakeup-waits connections to first: accept ‖ accept ‖ connect'],
  'two-readers': ['wakeup-waits pipe #: read ‖ read ‖ write'],
  'two-writers': ['wait-wakeups pipe #: read ‖ write ‖ write'],
  'background-jobs': /^load-store data: /,
  'command-substitution': /^load-store data: /,
  pipeline: /^load-store data: /,
  'locked-counter': /^load-store counter: /,
  'missing-prerequisite': /^load-store table: /,
  'missing-directory': /^load-store obj: .*mkdir/,
  'compile-and-link': /^load-store (numbers\.h|folder): /,
};

type Half = 'racy' | 'fixed';

const FILES = readdirSync(SOURCES).filter((file) => extname(file) !== '.h');
const nameOf = (file: string): string => parse(file).name;

/** Where the programs are, compiled or copied: a plain user may not see into the project's folder. */
let programs = '';
beforeAll(() => {
  programs = openFolder();
  for (const file of FILES.filter((one) => extname(one) !== '.c')) {
    copyFileSync(join(SOURCES, file), join(programs, file));
  }
  const names = FILES.filter((file) => extname(file) === '.c').map(nameOf);
  const folders = `${SOURCES}:${join(PROJECT, 'test/harness')}`;
  const rules = `VPATH = ${folders}\n%: %.c; @$(CC) -Wall -Wextra -Werror -O1 -o $@ $<\n`;
  const around = { cwd: programs, input: rules };
  const { status, stderr } = runToEnd('make', ['-s', '-j2', '-f', '-', 'meet', ...names], around);
  expect([status, stderr]).toEqual([0, '']);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

function commandOf(file: string, half: Half): string {
  const source = join(programs, file);
  const meeting = `env MEET=${join(programs, 'meet')}`;
  switch (extname(file)) {
    case '.c':
      return `${join(programs, nameOf(file))} ${half} >/dev/null`;
    case '.sh':
      return `${meeting} sh ${source} ${half} >/dev/null`;
    case '.mk':
      return `${meeting} make -s -j4 -f ${source} ${half} >/dev/null`;
  }
  throw new Error(`no way to run ${file}`);
}

const commands = (half: Half): Map<string, string> =>
  new Map(FILES.map((file) => [nameOf(file), commandOf(file, half)]));

it('has an expectation for each program, and a program for each expectation', () => {
  expect(FILES.map(nameOf).sort()).toEqual(Object.keys(RACES).sort());
});

describe.each([
  ['root, with eBPF', 'bpf', deadheat],
  ['root, with ptrace', 'ptrace', deadheat],
  ['a plain user', 'auto', deadheatAsPlainUser],
])('as %s', (_, recorder, run) => {
  let racy: Batch;
  let fixed: Batch;
  beforeAll(() => {
    racy = recordBatch(commands('racy'), recorder, run);
    fixed = recordBatch(commands('fixed'), recorder, run);
  });

  it.each(Object.entries(RACES))('%s has its race', (name, expected) => {
    const found = racy.races.get(name) ?? [];
    if (!(expected instanceof RegExp)) return expect(found).toEqual(expected);
    expect(found).not.toEqual([]);
    for (const race of found) expect(race).toMatch(expected);
  });

  it.each(Object.keys(RACES))('%s: its twin has none', (name) => {
    expect(fixed.races.get(name)).toEqual([]);
  });

  it('reports nothing else, and says so in its exit status', () => {
    expect([racy.races.get('?'), fixed.races.get('?')]).toEqual([undefined, undefined]);
    expect([racy.ended.status, fixed.ended.status]).toEqual([66, 0]);
    expect(fixed.ended.stdout).toMatch(/deadheat: reported 0 races\n$/);
    // What must() prints, and what make says of a step that failed.
    expect([racy.ended.stderr, fixed.ended.stderr]).toEqual(['', '']);
  });
});
