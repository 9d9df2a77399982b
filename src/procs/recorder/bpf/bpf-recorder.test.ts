import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tryTo } from '../../../base/result.ts';
import { Signal, sendSignal } from '../../../linux/signals.ts';
import { leaderOf, spawnStopped } from '../../../linux/spawn.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import { parseWaitStatus, WaitOption, waitForChild } from '../../../linux/wait.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { BpfRecorder } from './bpf-recorder.ts';
import { recordWithBpf, recordWithPtrace } from './testdata/record-both.ts';

/** Thousands, as quickly as can be. */
const MANY_CALLS = '/bin/dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none'.split(' ');

const canary = tryTo(() => recordWithBpf(['/bin/true']));
if (!canary.ok) console.warn(`skipped: no recording in the kernel (${canary.error.message})`);

const folder = mkdtempSync(join(tmpdir(), 'deadheat-bpf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const recordScript = (script: string): TraceRecord[] => {
  const { records, droppedEvents } = recordWithBpf(['/bin/sh', '-c', `cd ${folder}; ${script}`]);
  expect(droppedEvents).toBe(0);
  return records;
};
const callsOf = (records: readonly TraceRecord[], name: string): CallRecord[] =>
  records.filter(
    (record): record is CallRecord => record.kind === 'call' && syscallName(record.number) === name,
  );
const lastSequence = (record: TraceRecord): number =>
  record.kind === 'call' ? record.exit : record.sequence;
const compiled = (name: string, source: string): string => {
  const program = join(folder, name);
  execFileSync('cc', ['-pthread', '-w', '-o', program, '-x', 'c', '-'], { input: source });
  return program;
};

describe.runIf(canary.ok)('BpfRecorder', () => {
  it('begins with the root and its exec, and knows nothing of the shell before', () => {
    const { records } = recordWithBpf(['/bin/true', 'a', 'b']);
    const [start, exec] = records;
    expect(start).toMatchObject({ kind: 'start', sequence: 1, how: 'root', parentTid: 0 });
    expect(exec).toMatchObject({ kind: 'exec', path: '/bin/true', commandLine: '/bin/true\0a\0b' });
    expect(records.at(-1)).toMatchObject({ kind: 'exit', status: 0 });
    expect(new Set(records.map((record) => 'tid' in record && record.tid)).size).toBe(1);
  });

  it('gives each event a number of its own, and the records in that order', () => {
    const records = recordScript(
      'for i in 1 2 3 4; do (cat /etc/hostname; ls; cat a) & done 2> e > o; wait',
    );
    const sequences = records.map(lastSequence);
    expect(sequences).toEqual([...sequences].sort((one, other) => one - other));
    const all = records.flatMap((record) =>
      record.kind === 'call' ? [record.entry, record.exit] : [record.sequence],
    );
    expect(new Set(all).size).toBe(all.length);
    for (const record of records) {
      if (record.kind !== 'call') continue;
      expect(record.entry).toBeLessThan(record.exit);
      expect(record.enteredAt).toBeLessThan(record.leftAt);
    }
  });

  it('has every call, of several processes at once', () => {
    const copy = 'dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none';
    const records = recordScript(`${copy} & ${copy} & ${copy} & wait`);
    expect(callsOf(records, 'write').filter(({ result }) => result === 1)).toHaveLength(60_000);
    const sequences = records.map(lastSequence);
    expect(
      sequences.every((sequence, index) => index === 0 || sequence > sequences[index - 1]!),
    ).toBe(true);
  });

  it('describes files as stat does, and tells who created one', () => {
    const records = recordScript('echo x > new; echo y >> new');
    const opens = callsOf(records, 'openat').filter(({ path }) => path === 'new');
    expect(opens.map(({ created }) => created)).toEqual([true, undefined]);
    const there = ({ dev, ino, mode }: ReturnType<typeof statSync> & object) => ({
      device: dev,
      inode: ino,
      mode,
    });
    for (const { file, file2 } of opens) {
      expect(file).toEqual({ id: 0, ...there(statSync(folder)) });
      expect(file2).toMatchObject(there(statSync(join(folder, 'new'))));
      expect(file2?.id).toBeLessThan(0);
    }
  });

  it('tells who sent a signal that ends a process, but not of signals that are ignored', () => {
    const program = compiled(
      'signals',
      `#include <signal.h>\n#include <unistd.h>\n#include <sys/wait.h>
      int main(void) {
        signal(SIGUSR1, SIG_IGN);
        raise(SIGUSR1); raise(SIGWINCH);
        pid_t child = fork();
        if (child == 0) for (;;) pause();
        kill(child, SIGTERM);
        waitpid(child, 0, 0);
      }`,
    );
    const { records } = recordWithBpf([program]);
    const [root, child] = records.flatMap((record) => (record.kind === 'start' ? record.tid : []));
    expect(records.filter(({ kind }) => kind === 'signal')).toMatchObject([
      { signal: Signal.SIGTERM, from: root, to: child },
    ]);
    expect(records.filter(({ kind }) => kind === 'exit')).toMatchObject([
      { tid: child, status: Signal.SIGTERM },
      { tid: root, status: 0 },
    ]);
  });

  it('counts what it had to drop, keeps the order of the rest, and sees the end all the same', () => {
    const root = spawnStopped({ args: MANY_CALLS, environment: [] });
    const records: TraceRecord[] = [];
    const recorder = new BpfRecorder();
    recorder.start(root, { append: (record) => records.push(record) }, { ringBytes: 64 << 10 });
    expect(recorder.isAlive()).toBe(true);
    sendSignal(root, Signal.SIGCONT);
    waitForChild(root, WaitOption.all);
    expect(recorder.isAlive()).toBe(false);
    const { droppedEvents } = recorder.stop();
    expect(droppedEvents).toBeGreaterThan(3000);
    expect(records.length).toBeGreaterThan(100);
    const sequences = records.map(lastSequence);
    expect(sequences).toEqual([...sequences].sort((one, other) => one - other));
  });

  it('drops nothing if the ring is emptied in time, and reads it all at the end', () => {
    // 400 calls fit the ring, 8000 do not: it stops to be emptied, however slow the machine.
    const program = compiled(
      'batches',
      `#include <fcntl.h>\n#include <signal.h>\n#include <unistd.h>
      int main(void) {
        for (int batch = 0; batch < 20; batch++) {
          for (int call = 0; call < 200; call++) close(open("/dev/null", O_RDONLY));
          raise(SIGSTOP);
        }
      }`,
    );
    const root = spawnStopped({ args: [program], environment: [] });
    const records: TraceRecord[] = [];
    const recorder = new BpfRecorder();
    recorder.start(root, { append: (record) => records.push(record) }, { ringBytes: 256 << 10 });
    do {
      recorder.collect();
      sendSignal(root, Signal.SIGCONT);
      const { status } = waitForChild(root, WaitOption.all | WaitOption.untraced)!;
      if (parseWaitStatus(status).kind !== 'stopped') break;
    } while (recorder.isAlive());
    expect(records).toEqual([]);
    expect(recorder.stop().droppedEvents).toBe(0);
    expect(callsOf(records, 'openat').length).toBeGreaterThan(4000);
    const sequences = records.flatMap((record) =>
      record.kind === 'call' ? [record.entry, record.exit] : lastSequence(record),
    );
    const sorted = sequences.sort((one, other) => one - other);
    expect(sorted).toEqual(sorted.map((_, index) => index + 1));
  });

  it('says nothing of a program that cannot be run', () => {
    const { records } = recordWithBpf(['/no/such/program']);
    expect(records).toEqual([]);
  });

  it('knows who is alive, also when a thread has become its whole process', () => {
    const program = compiled(
      'thread',
      `#include <pthread.h>\n#include <unistd.h>
      static void *work(void *end) { execl("/bin/cat", "cat", (char *)0); return end; }
      int main(void) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
      }`,
    );
    const root = spawnStopped({
      args: ['/bin/sh', '-c', `sleep 1000 | ${program}`],
      environment: [],
    });
    const recorder = new BpfRecorder();
    let cat = 0;
    recorder.start(root, {
      append: (record) => {
        if (record.kind === 'exec' && record.commandLine === 'cat') cat = record.tid;
      },
    });
    sendSignal(root, Signal.SIGCONT);
    while (cat === 0 || recorder.living.size !== 3) recorder.poll();
    expect(recorder.living).toContain(root);
    expect(recorder.living).toContain(cat);
    expect(recorder.aliveTasks).toBe(3);
    for (const task of recorder.living) sendSignal(task, Signal.SIGKILL);
    waitForChild(root, WaitOption.all);
    while (recorder.isAlive()) recorder.poll();
    recorder.stop();
  });

  it('leaves nothing behind', () => {
    const before = readdirSync('/proc/self/fd').length;
    recordWithBpf(['/bin/true']);
    expect(() => recordWithBpf(['/bin/true'], { ringBytes: 5000 })).toThrow('EINVAL');
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });

  it('notes once that a task makes 32-bit calls', () => {
    const source = `#include <unistd.h>
      int main(void) {
        long result;
        for (int i = 0; i < 3; i++) __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
        write(1, "", 0);
        return result != getpid();
      }`;
    const program = compiled('foreign', source);
    if (tryTo(() => execFileSync(program)).ok === false) {
      return console.warn('skipped: this kernel has no 32-bit system calls');
    }
    const { records } = recordWithBpf([program]);
    expect(records.filter(({ kind }) => kind === 'note')).toHaveLength(1);
    expect(callsOf(records, 'write')).toHaveLength(1);
  });

  it('follows a task that was added while it ran', () => {
    const first = spawnStopped({ args: ['/bin/true'], environment: [] });
    const running = spawnStopped({ args: ['/bin/echo', '-n'], environment: [] });
    const records: TraceRecord[] = [];
    const recorder = new BpfRecorder();
    recorder.start(first, { append: (record) => records.push(record) });
    recorder.track(leaderOf(running));
    expect(recorder.aliveTasks).toBe(2);
    for (const task of [running, first]) {
      sendSignal(task, Signal.SIGCONT);
      waitForChild(task, WaitOption.all);
    }
    recorder.stop();
    expect(callsOf(records, 'execve').map(({ tid, path }) => [tid, path])).toEqual([
      [running, '/bin/echo'],
    ]);
  });
});

describe.runIf(canary.ok)('a call that a signal broke off', () => {
  it.each([
    ['in the kernel', recordWithBpf],
    ['with ptrace', (args: string[]) => ({ records: recordWithPtrace(args) })],
  ])('is one record if it was entered again, and the signal says so, %s', (_, record) => {
    const program = compiled(
      'restarts',
      `#include <signal.h>\n#include <stdio.h>\n#include <sys/mman.h>\n#include <sys/wait.h>\n#include <unistd.h>
      static volatile int *handled;
      static void handle(int signal) { *handled = 1; }
      /** Until the parent waits inside of read, which is call 0. */
      static void untilParentReads(void) {
        char name[64], state[64] = "";
        sprintf(name, "/proc/%d/syscall", getppid());
        while (state[0] != '0') {
          FILE *file = fopen(name, "r");
          fread(state, 1, 1, file);
          fclose(file);
        }
      }
      int main(void) {
        int ends[2];
        char byte;
        struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
        handled = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        sigaction(SIGUSR1, &action, 0);
        raise(SIGUSR1);
        *handled = 0;
        pipe(ends);
        if (fork() == 0) {
          untilParentReads();
          kill(getppid(), SIGUSR1);
          while (!*handled);
          write(ends[1], "x", 1);
          _exit(0);
        }
        read(ends[0], &byte, 1);
        wait(0);
      }`,
    );
    const { records } = record([program]);
    const [root] = records.flatMap((record) => (record.kind === 'start' ? record.tid : []));
    const read = callsOf(records, 'read').filter(({ tid, result }) => tid === root && result === 1);
    const signals = records.filter((record) => record.kind === 'signal' && record.signal === 10);
    expect(signals).toMatchObject([{ phase: 'delivered' }, { phase: 'interrupting' }]);
    const signal = signals[1]!;
    expect(read).toHaveLength(1);
    expect(read[0]!.entry).toBeLessThan(lastSequence(signal));
    expect(read[0]!.exit).toBeGreaterThan(lastSequence(signal));
  });
});
