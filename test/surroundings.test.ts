/** Programs that need more than a sandbox has, and machines that have none: what is said, and how it ends. */

import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, type Ended, MAIN, runToEnd, startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

const RACY = 'mkdir d & { sleep 0.1; echo x >d/f; } & wait';

const reportIn = (cwd: string): Report =>
  JSON.parse(readFileSync(join(cwd, '.deadheat/procs-1/report.json'), 'utf8')) as Report;

describe('a program that misses something when it is run again', () => {
  it('somebody to connect to, but for TCP', async () => {
    const cwd = scratchFolder();
    const server = createSocket('udp4', (_, { port: from }) => server.send('hello\n', from));
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address();
    const asks = `exec 3<>/dev/udp/127.0.0.1/${port}; echo >&3; line=$(dd bs=99 count=1 <&3)`;
    const program = `${RACY}; ${asks}; echo got $line`;
    const running = startDeadheat(['procs', '-q', '--', 'bash', '-c', program], { cwd });
    let stdout = '';
    running.stdout?.on('data', (bytes) => (stdout += bytes));
    const status = await new Promise((resolve) => running.on('close', resolve));
    expect(stdout).toMatch(/^got hello$/m);
    const { races, warnings = [] } = reportIn(cwd);
    expect(warnings[0]).toMatch(/^the recorded order could not be repeated: /);
    expect(warnings[1]).toBe(
      `it was connected to port ${port}; when it is run again, nobody is there`,
    );
    expect(races.map(({ verdict }) => verdict)).toEqual(['harmful']);
    expect(status).toBe(66);
  });

  it('a terminal', async () => {
    const cwd = scratchFolder();
    const program = `${RACY}; test -t 0 && stty size && stty -echo; stty echo`;
    await onTerminal(['deadheat', 'procs', '-q', '--', 'sh', '-c', program], cwd);
    const { warnings = [] } = reportIn(cwd);
    expect(warnings[0]).toMatch(/^the recorded order could not be repeated: /);
    expect(warnings[1]).toBe('it used a terminal; when it is run again, nobody types there');
  });
});

describe('a program that does what no sandbox covers', () => {
  it('is not run again, but its races are found', () => {
    const cwd = scratchFolder();
    /** With a network of our own, whose settings are nobody else's. */
    const alone = (...args: string[]): Ended =>
      runToEnd('unshare', ['--net', process.execPath, MAIN, ...args], { cwd });
    const setting = '/proc/sys/net/ipv4/ip_forward';
    const refusal = `is not run again: it wrote to ${setting}, which no sandbox covers, so that each run would do it again; record it without that step`;
    const ended = alone('procs', '-q', '--', 'sh', '-c', `echo 1 >${setting}; ${RACY}`);
    expect(ended.stdout).toMatch(/\[not validated yet\]/);
    expect(ended.stderr).toBe(
      `deadheat: warning: races were found, but not tried: procs-1 ${refusal}\n`,
    );
    expect(ended.status).toBe(66);
    for (const command of ['validate', 'replay']) {
      const refused = { status: 69, stdout: '', stderr: `deadheat: procs-1 ${refusal}\n` };
      expect(alone(command, '-q')).toMatchObject(refused);
    }
  });

  it('leaves no second set of shared memory, and the name of the machine alone', () => {
    const cwd = scratchFolder();
    const program = `${RACY}; ipcmk -M 4242 >/dev/null; hostname "$(hostname)-again"; :`;
    const script = `hostname first; "$@" >/dev/null; hostname; ipcs -m | grep -c ' 4242 '`;
    const procs = [process.execPath, MAIN, 'procs', '-q', '--', 'sh', '-c', program];
    const args = ['--ipc', '--uts', 'sh', '-c', script, 'sh', ...procs];
    // The recorded run itself is real: one of each is its own.
    expect(runToEnd('unshare', args, { cwd }).stdout).toBe('first-again\n1\n');
  });
});

describe('a machine that allows a plain user no namespaces', () => {
  /** In a user namespace of its own, the setting can be made without touching the machine's. */
  const SCRIPT =
    'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@"';
  const there = (cwd: string, ...args: string[]): Ended =>
    runToEnd('unshare', ['-Ur', 'sh', '-ec', SCRIPT, 'sh', process.execPath, MAIN, ...args], {
      cwd,
    });
  const MESSAGE =
    /^deadheat: cannot make a sandbox for the program: unshare.*; user\.max_user_namespaces is 0, needs > 0: `sudo sysctl user\.max_user_namespaces=10000`/;

  it('says what it lacks, and records and detects without', () => {
    const cwd = scratchFolder();
    const place = join(cwd, 'place');
    mkdirSync(place);
    const refused = there(place, 'procs', '--', 'sh', '-c', RACY);
    expect(refused).toMatchObject({ status: 69, stdout: '' });
    expect(refused.stderr).toMatch(MESSAGE);
    expect(refused.stderr).toMatch(
      /; or use --in-place, which lets the program change your files$/m,
    );
    const record = ['record', '-q', '-o', 'run', '--in-place', '--', 'sh', '-c', RACY];
    expect(there(place, ...record)).toMatchObject({ status: 0, stderr: '' });
    expect(there(place, 'detect', './run')).toMatchObject({ status: 66, stderr: '' });
  });

  it('says so when a recording from elsewhere is to be run again', () => {
    const cwd = scratchFolder();
    deadheat(['record', '-q', '--', 'sh', '-c', RACY], { cwd });
    for (const command of ['validate', 'replay']) {
      const refused = there(cwd, command);
      expect(refused).toMatchObject({ status: 69, stdout: '' });
      expect(refused.stderr).toMatch(MESSAGE);
      expect(refused.stderr).not.toMatch(/in-place/);
    }
    expect(there(cwd, 'detect').status).toBe(66);
  });
});
