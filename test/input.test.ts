/** What a program reads from a standard input that cannot be read twice is in its recording. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBytes } from '../src/base/bytes.ts';
import { readTrace } from '../src/trace/reader.ts';
import { LAUNCHER, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

/** In every way there is; what it took is written out again. */
const READER = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
static char a[100], b[9000], c[5];
static void take(ssize_t total, struct iovec *parts) {
  for (; total > 0; parts++) {
    size_t size = parts->iov_len < (size_t)total ? parts->iov_len : (size_t)total;
    write(1, parts->iov_base, size);
    total -= size;
  }
}
int main(int count, char **args) {
  struct iovec parts[4] = {{c, 5}, {c, 0}, {a, sizeof a}, {b, sizeof b}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 4};
  ssize_t got;
  for (char *way = args[1]; *way; way++) {
    if (*way == 'r') { got = read(0, b, sizeof b); take(got, &(struct iovec){b, sizeof b}); }
    if (*way == 'v') take(readv(0, parts, 4), parts);
    if (*way == 'p') recv(0, b, sizeof b, MSG_PEEK);
    if (*way == 'm') take(recvmsg(0, &message, 0), parts);
    if (*way == 's') { int ends[2]; pipe(ends); splice(0, 0, ends[1], 0, 10, 0); }
    if (*way == 'x') { int null = open("/dev/zero", O_RDONLY); read(null, b, 7); close(null); }
    if (*way == 'd') { dup2(0, 9); close(0); dup2(9, 0); }
  }
}`;

const TEXT = Buffer.from(Array.from({ length: 30_000 }, (_, index) => (index * 7919) % 251));

interface Kept {
  input: Buffer;
  notes: string[];
}

function kept(run: string): Kept {
  const records = [...readTrace(join(run, 'trace.bin'))];
  const pieces = records.flatMap((each) => (each.kind === 'input' ? encodeBytes(each.data) : []));
  const notes = records.flatMap((each) => (each.kind === 'note' ? each.text : []));
  return { input: Buffer.concat(pieces), notes };
}

describe.each(['bpf', 'ptrace'])('input, with %s', (recorder) => {
  /** `command` is for bash; RECORD stands for our command up to the program. */
  function record(command: string, cwd = scratchFolder(), input?: Buffer): Kept {
    const run = join(cwd, 'run');
    const ours = `"${LAUNCHER}" record -q --recorder ${recorder} -o ${run} --`;
    const line = command.replace('RECORD', ours);
    runToEnd('bash', ['-c', line], { cwd, ...(input && { input }) });
    return kept(run);
  }

  function withReader(): string {
    const cwd = scratchFolder();
    execFileSync('cc', ['-w', '-o', join(cwd, 'reader'), '-x', 'c', '-'], { input: READER });
    writeFileSync(join(cwd, 'text'), TEXT);
    return cwd;
  }

  it('of several processes that share a pipe', () => {
    const script = `'read first; (read second; cat) > /dev/null'`;
    const { input, notes } = record(`printf 'one\\ntwo\\nth\\377ree\\n' | RECORD sh -c ${script}`);
    expect(input.toString('latin1')).toBe('one\ntwo\nth\xffree\n');
    expect(notes).toEqual([]);
  });

  /** All of the text is in the pipe before the program starts. */
  const FILLED = 'mkfifo fifo; exec 9<> fifo; cat text >&9; RECORD';

  it('of more than one piece, whichever call reads it', () => {
    const cwd = withReader();
    const { input, notes } = record(`${FILLED} ./reader rvxvdr <&9 > out`, cwd);
    expect(readFileSync(join(cwd, 'out')).equals(TEXT)).toBe(true);
    expect(input.equals(TEXT)).toBe(true);
    expect(notes).toEqual([]);
  });

  it('of a socket, but not what was only looked at', () => {
    const cwd = withReader();
    const { input, notes } = record('RECORD ./reader pmpr > out', cwd, TEXT.subarray(0, 400));
    expect(readFileSync(join(cwd, 'out'))).toHaveLength(400);
    expect(input.equals(TEXT.subarray(0, 400))).toBe(true);
    expect(notes).toEqual([]);
  });

  it('that cannot be seen makes a note', () => {
    const cwd = withReader();
    const { input, notes } = record(`${FILLED} ./reader srs <&9 > out`, cwd);
    expect(input.equals(TEXT.subarray(10, 9010))).toBe(true);
    expect(notes).toEqual(['the input of the program was not recorded in full']);
  });

  it('of a terminal', async () => {
    const cwd = scratchFolder();
    const program = ['sh', '-c', 'echo ready; read word; echo got $word'];
    const args = ['record', '-q', '--recorder', recorder, '-o', 'run', '--', ...program];
    let hasTyped = false;
    const { text } = await onTerminal(['deadheat', ...args], cwd, (soFar, type) => {
      if (!hasTyped && soFar.includes('ready')) type('hello\n');
      hasTyped ||= soFar.includes('ready');
    });
    expect(text).toContain('got hello');
    expect(kept(join(cwd, 'run')).input.toString()).toBe('hello\n');
  });

  it('beyond a limit makes a note', () => {
    const { input, notes } = record('head -c 17000000 /dev/zero | RECORD cat > /dev/null');
    expect(input).toHaveLength(16 << 20);
    expect(notes).toEqual(['the input of the program was not recorded in full']);
  });

  it('from a file or from nowhere is not kept', () => {
    const cwd = withReader();
    expect(record('RECORD ./reader r < text > out', cwd).input).toHaveLength(0);
    expect(record('RECORD cat < /dev/null').input).toHaveLength(0);
    expect(record('RECORD cat <&-').notes).toEqual([]);
  });
});
