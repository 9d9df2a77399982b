/** Programs that do too much of something: recorded right, or refused in plain words. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { syscallName } from '../src/linux/syscalls.ts';
import { readTrace } from '../src/trace/reader.ts';
import type { TraceRecord } from '../src/trace/records/record.ts';
import { deadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const RECORDERS = ['bpf', 'ptrace'] as const;

function record(recorder: string, cwd: string, ...command: string[]) {
  const ended = deadheat(['record', '-q', '--recorder', recorder, '-o', 'run', '--', ...command], {
    cwd,
  });
  const records: TraceRecord[] = [...readTrace(join(cwd, 'run/trace.bin'), { salvage: false })];
  return { ...ended, records };
}

const countCalls = (records: readonly TraceRecord[], name: string): number =>
  records.filter((one) => one.kind === 'call' && syscallName(one.number) === name).length;

describe.each(RECORDERS)('with %s', (recorder) => {
  it('a tree that forks and forks is recorded to its last leaf', () => {
    // Each makes two more, eight deep: 2 + 4 + … + 256.
    const grow = 'grow() { [ $1 = 0 ] && exit; grow $(($1-1)) & grow $(($1-1)) & wait; }; grow 8';
    const { status, records } = record(recorder, scratchFolder(), 'sh', '-c', grow);
    expect(status).toBe(0);
    expect(records.filter(({ kind }) => kind === 'start')).toHaveLength(1 + 510);
    expect(records.filter(({ kind }) => kind === 'exit')).toHaveLength(1 + 510);
  });

  it('a bomb that runs into the limit of processes ends as it does without us', () => {
    const cwd = scratchFolder();
    const bomb = join(cwd, 'bomb');
    writeFileSync(join(cwd, 'bomb.c'), BOMB);
    execFileSync('cc', ['-o', bomb, join(cwd, 'bomb.c')]);
    const { status, stdout, records } = record(recorder, cwd, bomb);
    expect(stdout).toMatch(/^\d+ children, then EAGAIN\n$/);
    expect(status).toBe(0);
    const children = Number.parseInt(stdout, 10);
    expect(records.filter(({ kind }) => kind === 'start')).toHaveLength(1 + children);
  });

  it('thousands of files are all in the recording, and none in the folder', () => {
    const cwd = scratchFolder();
    const many = 'i=0; while [ $i -lt 3000 ]; do : > f$i; i=$((i+1)); done';
    const { status, records } = record(recorder, cwd, 'sh', '-c', many);
    expect(status).toBe(0);
    const created = records.filter((one) => one.kind === 'call' && one.created);
    expect(created.length).toBeGreaterThanOrEqual(3000);
    expect(readdirSync(cwd)).toEqual(['run']);
  });

  it('arguments up to the limit of the kernel are passed on; beyond it, the kernel says so', () => {
    const long = Array.from({ length: 14 }, () => 'x'.repeat(120_000));
    const passed = record(
      recorder,
      scratchFolder(),
      'sh',
      '-c',
      'echo $#; echo "$1" | wc -c',
      ...long,
    );
    expect(passed.stdout).toBe('13\n120001\n');
    const tenMegabytes = 'a=$(head -c 10000000 /dev/zero | tr "\\0" z); /bin/echo "$a"';
    const refused = record(recorder, scratchFolder(), 'sh', '-c', tenMegabytes);
    expect(refused.stderr).toContain('Argument list too long');
    expect(refused.status).toBe(126);
  });

  it('names that are not text are kept byte for byte', () => {
    const script = 'n=$(printf "caf\\351"); mkdir "$n"; echo x > "$n/\u00ff"; cat "$n/\u00ff"';
    const { stdout, records } = record(recorder, scratchFolder(), 'sh', '-c', script);
    expect(stdout).toBe('x\n');
    const paths = records.flatMap((one) => (one.kind === 'call' ? (one.path ?? []) : []));
    expect(paths).toContain('caf\udce9');
    expect(countCalls(records, 'mkdir')).toBe(1);
  });

  it('io_uring is refused as if the kernel had none, and named in the report', () => {
    const cwd = scratchFolder();
    const program = join(cwd, 'ring');
    writeFileSync(join(cwd, 'ring.c'), RING);
    execFileSync('cc', ['-o', program, join(cwd, 'ring.c')]);
    const { stdout } = record(recorder, cwd, program);
    expect(stdout).toBe('Function not implemented\n');
    const detected = deadheat(['detect', join(cwd, 'run')], { cwd });
    expect(detected.stdout).toContain(
      'refused with ENOSYS, since what it does cannot be recorded: io_uring_setup (1)',
    );
  });
});

/** Root has no limit of its own, so it becomes nobody first. */
const BOMB = `
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  struct rlimit few = {60, 60};
  int children = 0, hold[2];
  pid_t child;
  if (setgid(64000) || setuid(64000)) return 1;
  setrlimit(RLIMIT_NPROC, &few);
  pipe(hold);
  while (children < 500 && (child = fork()) > 0) children++;
  if (child == 0) { char byte; close(hold[1]); read(hold[0], &byte, 1); _exit(0); }
  printf("%d children, then %s\\n", children, errno == EAGAIN ? "EAGAIN" : "something else");
  close(hold[1]);
  while (wait(0) > 0);
}
`;

const RING = `
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  char parameters[120] = {0};
  if (syscall(SYS_io_uring_setup, 8, parameters) < 0) printf("%s\\n", strerror(errno));
}
`;
