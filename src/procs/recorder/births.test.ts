import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordWithPtrace } from './bpf/testdata/record-both.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-births-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FORKS = 150;
/** One thread starts processes, while others come and go. */
const SOURCE = `
  #include <pthread.h>
  #include <sys/wait.h>
  #include <unistd.h>
  static volatile int isOver;
  static void *start(void *unused) {
    for (int i = 0; i < ${FORKS}; i++) {
      pid_t child = fork();
      if (child == 0) _exit(0);
      waitpid(child, 0, 0);
    }
    isOver = 1;
    return unused;
  }
  static void *end(void *unused) { return unused; }
  int main(void) {
    pthread_t starter, other;
    pthread_create(&starter, 0, start, 0);
    while (!isOver) {
      pthread_create(&other, 0, end, 0);
      pthread_join(other, 0);
    }
    pthread_join(starter, 0);
    return 0;
  }`;

describe('the birth of a process', () => {
  it('is told by the thread that has started it, though others end at that time', () => {
    const program = join(folder, 'program');
    execFileSync('cc', ['-pthread', '-o', program, '-x', 'c', '-'], { input: SOURCE });
    const starts = recordWithPtrace([program]).filter((record) => record.kind === 'start');
    const [, starter] = starts;
    expect(starter).toMatchObject({ how: 'thread' });
    const forked = starts.filter(({ how }) => how === 'fork');
    expect(forked.map(({ parentTid }) => parentTid)).toEqual(Array(FORKS).fill(starter?.tid));
  });
});
