/** Programs that talk to somebody who is not there any more when they run again. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Report, reportSchema } from '../src/report/model.ts';
import { deadheat, deadheatAsPlainUser, PROJECT } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const hasV6 = existsSync('/proc/net/if_inet6');
if (!hasV6) console.warn('skipped: IPv6, which this kernel has not');

const SERVER = join(PROJECT, 'test/outside/server.mjs');

/** Runs `act` while somebody answers at the port that it gets; afterwards nobody does. */
async function whileAnswered<T>(act: (port: number) => T, host = '127.0.0.1'): Promise<T> {
  const server = spawn(process.execPath, [SERVER, host], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(server, 'exit');
  try {
    const [port] = (await once(server.stdout!, 'data')) as [Buffer];
    return act(Number(port));
  } finally {
    server.kill('SIGKILL');
    await gone;
  }
}

/** A function of bash: what the server answers to a line. */
const ask = (port: number, host = '127.0.0.1'): string =>
  `ask() { exec 3<>/dev/tcp/${host}/${port}; echo "$1" >&3; cat <&3; exec 3>&-; }; `;

async function recordedAndReplayed(
  command: (port: number) => readonly string[],
  { run = deadheat, recorder = 'auto', host = '127.0.0.1' } = {},
) {
  const cwd = scratchFolder();
  const recorded = await whileAnswered(
    (port) => run(['record', '-q', '--recorder', recorder, '--', ...command(port)], { cwd }),
    host,
  );
  return { recorded, replayed: run(['replay', '-q'], { cwd }) };
}

function compiled(name: string): string {
  const program = join(scratchFolder(), name);
  execFileSync('cc', ['-o', program, join(PROJECT, `test/outside/${name}.c`)]);
  return program;
}

const RECORDERS = ['auto', 'ptrace'];

describe('a program that asked somebody outside, when that one is gone', () => {
  it.each(RECORDERS)('gets the same answers again, recorded with %s', async (recorder) => {
    const script = 'ask one >a; ask two >b; ask one >>b; cat b a';
    const { recorded, replayed } = await recordedAndReplayed(
      (port) => ['bash', '-c', ask(port) + script],
      { recorder },
    );
    expect(recorded.stdout).toBe('answer to two\nanswer to one\nanswer to one\n');
    expect(replayed).toEqual(recorded);
  });

  it('gets them as a plain user', async () => {
    const { recorded, replayed } = await recordedAndReplayed(
      (port) => ['bash', '-c', `${ask(port)}ask one`],
      { run: deadheatAsPlainUser, recorder: 'ptrace' },
    );
    expect(recorded.stdout).toBe('answer to one\n');
    expect(replayed).toEqual(recorded);
  });

  it.runIf(hasV6)('gets them over IPv6', async () => {
    const { recorded, replayed } = await recordedAndReplayed(
      (port) => ['bash', '-c', `${ask(port, '::1')}ask one`],
      { host: '::1' },
    );
    expect(recorded.stdout).toBe('answer to one\n');
    expect(replayed).toEqual(recorded);
  });

  it.each(RECORDERS)('finds them when it found them, recorded with %s', async (recorder) => {
    const program = compiled('looks-in-passing');
    const { recorded, replayed } = await recordedAndReplayed((port) => [program, `${port}`], {
      recorder,
    });
    expect(recorded.stdout).toMatch(/^[1-9]\d* looks, \d+ reads: answer to later\n$/);
    expect(replayed).toEqual(recorded);
  });

  it('is told what comes after its last word, and not before it', async () => {
    const program = compiled('last-word-first');
    const { recorded, replayed } = await recordedAndReplayed((port) => [program, `${port}`]);
    expect(recorded).toMatchObject({ status: 0, stdout: '18\n' });
    expect(replayed).toEqual(recorded);
  });

  it('says so if more was said than is kept', async () => {
    const cwd = scratchFolder();
    const where = await whileAnswered((port) => {
      const told = deadheat(['record', '-q', '--', 'bash', '-c', `${ask(port)}ask big | wc -c`], {
        cwd,
      });
      expect(told.stdout).toBe('131072\n');
      return `127.0.0.1:${port}`;
    });
    const { status, stderr } = deadheat(['replay', '-q'], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain(`it talked to ${where} otherwise than when it was recorded`);
  });
});

/** The verdicts on a bash script that asks, and why. */
async function verdictsOn(script: string) {
  const cwd = scratchFolder();
  const where = await whileAnswered((port) => {
    deadheat(['record', '-q', '--', 'bash', '-c', ask(port) + script], { cwd });
    return `127.0.0.1:${port}`;
  });
  const { status, stderr } = deadheat(['validate', '-q', '--all'], { cwd });
  const text = readFileSync(join(cwd, '.deadheat/procs-1/report.json'), 'utf8');
  return { where, status, stderr, report: reportSchema.parse(JSON.parse(text)) };
}

const whyDiverged = ({ races }: Report): string =>
  races.flatMap(({ verdict, evidence }) => (verdict === 'diverged' ? evidence : [])).join('\n');

describe('a race in a script that asks somebody outside, when that one is gone', () => {
  it('is proven', async () => {
    const { report, status } = await verdictsOn(
      `(sleep 0.2; ask one >a; mkdir d) & (sleep 1; ask two >d/b) & wait; cat a d/b`,
    );
    expect(status).toBe(66);
    expect(report.warnings ?? []).toEqual([]);
    const harmful = report.races.filter(({ verdict }) => verdict === 'harmful');
    expect(harmful.map(({ evidence }) => evidence)).toEqual([expect.stringContaining('d/b: ')]);
  });

  it('is benign if each gets its own answer in any order', async () => {
    const { report, status } = await verdictsOn(
      `(sleep 0.2; mkdir -p d; ask one >a) & (sleep 1; mkdir -p d; ask two >b) & wait; cat a b`,
    );
    expect(status).toBe(0);
    expect(report.races.map(({ verdict }) => verdict)).toContain('benign');
  });

  it('has no verdict if it asks for something else the other way round', async () => {
    const { report, status, where } = await verdictsOn(
      `(sleep 0.2; echo one >f) & (sleep 1; ask "$(cat f 2>&1 || echo other)" >a) & wait; cat a`,
    );
    expect(status).toBe(0);
    expect(whyDiverged(report)).toContain(`it talked to ${where} otherwise`);
  });

  it('has no verdict if it turns to somebody else the other way round', async () => {
    const { report, status } = await verdictsOn(
      `(sleep 0.2; mkdir d) & (sleep 1; [ -d d ] && ask one || exec 3<>/dev/tcp/127.0.0.1/1) & wait -n; wait -n`,
    );
    expect(status).toBe(0);
    expect(whyDiverged(report)).toContain('it turned to 127.0.0.1:1,');
  });
});
