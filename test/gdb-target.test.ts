import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TargetEvent } from '../src/watch/debug-target.ts';
import { connectTarget } from '../src/watch/gdb/connect-target.ts';
import type { GdbTarget } from '../src/watch/gdb/gdb-target.ts';
import { startDeadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** Nothing here is a race against the clock: this is for what hangs. */
const LONG = 60_000;
const SOURCE = new URL('programs/two-threads.c', import.meta.url).pathname;

interface Served {
  readonly target: GdbTarget;
  readonly server: ChildProcess;
  /** All that it and the program have printed. */
  readonly printed: Promise<string>;
}

/** gdbserver with the program, which stands at its start; it chooses the port. */
async function startServer(): Promise<Omit<Served, 'target'> & { readonly port: number }> {
  const program = join(scratchFolder(), 'two-threads');
  execFileSync('cc', ['-O1', '-g', '-pthread', '-o', program, SOURCE]);
  const server = spawn('gdbserver', ['127.0.0.1:0', program], { stdio: 'pipe' });
  onTestFinished(() => {
    // Whoever was left ends at the end of its input.
    server.stdin.destroy();
    server.kill('SIGKILL');
  });
  let text = '';
  const printed = once(server, 'close').then(() => text);
  const port = await new Promise<number>((resolve, reject) => {
    const look = (bytes: Buffer): void => {
      text += bytes;
      const [, found] = /Listening on port (\d+)/.exec(text) ?? [];
      if (found !== undefined) resolve(Number(found));
    };
    server.stdout.on('data', look);
    server.stderr.on('data', look);
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`gdbserver has ended: ${text}`)));
  });
  return { server, printed, port };
}

async function served(): Promise<Served> {
  const { server, printed, port } = await startServer();
  const { target } = await connectTarget({ host: '127.0.0.1', port });
  return { target, server, printed };
}

async function functionNamed(target: GdbTarget, name: string) {
  const found = (await target.functions()).find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

const soon = (): number => performance.now() + LONG;

async function breakpointAt(target: GdbTarget, name: string) {
  const { start } = await functionNamed(target, name);
  expect(await target.plant([start])).toEqual([start]);
  const event = await target.next(soon());
  if (event.kind !== 'breakpoint') throw new Error(`${event.kind} instead of a breakpoint`);
  expect(event.address).toBe(start);
  expect(event.registers.get('rip')).toBe(start);
  return event;
}

/** `counter`: what the function loads first by an address relative to rip (48 8b 05 or 15). */
async function counterOf(target: GdbTarget): Promise<bigint> {
  const { start } = await functionNamed(target, 'add_now');
  const code = Buffer.from(await target.read(start, 16));
  const at = code.findIndex((byte, index) => byte === 0x48 && code[index + 1] === 0x8b);
  const address = start + BigInt(at + 7 + code.readInt32LE(at + 3));
  expect(await target.dataName(address)).toBe('counter');
  return address;
}

describe('a program under gdbserver', () => {
  it('stops before an instruction, and after the other thread has touched what is watched', async () => {
    const { target } = await served();
    const event = await breakpointAt(target, 'add_now');
    expect(await target.who(event.runner)).toMatchObject({
      process: 'two-threads',
      thread: event.runner,
    });
    const stack = await target.stack(event.runner, event.registers);
    expect(stack.slice(0, 2).map((site) => site.function)).toEqual(['add_now', 'main']);
    expect(target.othersRunning()).toBeGreaterThan(0);
    const address = await counterOf(target);
    const watch = await target.arm([{ address, size: 8 }], 'store', event.runner);
    const other = await target.next(soon());
    if (other.kind !== 'watchpoint') throw new Error(`${other.kind} instead of a watchpoint`);
    expect(other.watch).toBe(watch);
    expect(other.runner).not.toBe(event.runner);
    const [site] = await target.sitesAt(other.registers.get('rip') - 1n);
    expect(site).toMatchObject({ function: 'add_all_the_time', module: 'two-threads', line: 11 });
    await target.disarm(watch!);
    await target.leave();
  });

  it('has nobody else moved while all are held', async () => {
    const { target } = await served();
    const event = await breakpointAt(target, 'add_now');
    const address = await counterOf(target);
    const watch = await target.arm([{ address, size: 8 }], 'store', event.runner);
    const other = await target.next(soon());
    expect(other.kind).toBe('watchpoint');
    await target.disarm(watch!);
    // Threads that only come and go have ended, or stand before what they never get to.
    const before = await target.read(address, 8);
    expect((await target.next(performance.now() + 50)).kind).toBe('deadline');
    expect(await target.read(address, 8)).toEqual(before);
    await target.leave();
  });

  it('comes to a breakpoint that stays again and again, and ends with its own status', async () => {
    const { target, server, printed } = await served();
    const { start } = await functionNamed(target, 'add_now');
    const event = await breakpointAt(target, 'add_now');
    await target.release(event.runner);
    for (let count = 0; count < 5; count++) {
      const again = await target.next(soon());
      expect(again).toMatchObject({ kind: 'breakpoint', address: start, runner: event.runner });
      await target.release(event.runner);
    }
    await target.unplant([start]);
    server.stdin!.end('x');
    let last: TargetEvent = await target.next(soon());
    while (last.kind !== 'ended') last = await target.next(soon());
    expect(last).toEqual({ kind: 'ended', end: { code: 7 } });
    expect(await target.plant([start])).toEqual([]);
    await target.leave();
    expect(await printed).toContain('over');
  });

  it('goes on as it was when it is left', async () => {
    const { target, server, printed } = await served();
    const event = await breakpointAt(target, 'add_now');
    const address = await counterOf(target);
    await target.arm([{ address, size: 8 }], 'load-or-store', event.runner);
    await target.next(soon());
    await target.leave();
    server.stdin!.end('x');
    expect(await printed).toContain('over');
  });

  it('wakes whoever waits', async () => {
    const { target } = await served();
    const waiting = target.next(soon());
    target.wake();
    expect((await waiting).kind).toBe('deadline');
    await target.leave();
  });

  it('is lost with its stub', async () => {
    const { target, server } = await served();
    const waiting = target.next(soon());
    server.kill('SIGKILL');
    const event = await waiting;
    expect(event).toMatchObject({
      kind: 'ended',
      end: { lostBecause: expect.stringMatching(/^the gdb stub at 127/) },
    });
    expect(await target.read(0x1000n, 8)).toHaveLength(0);
    expect(await target.plant([0x1000n])).toEqual([]);
    expect(await target.arm([{ address: 0x1000n, size: 8 }], 'store', 1)).toBe(undefined);
    expect(await target.next(0)).toMatchObject({ kind: 'ended' });
    await target.leave();
  });
});

beforeAll(() => {
  execFileSync('gdbserver', ['--version']);
});

describe('deadheat watch --gdb', () => {
  it('catches the race, and leaves the program to itself', async () => {
    const { server, printed, port } = await startServer();
    const cwd = scratchFolder();
    const args = ['watch', '--gdb', `127.0.0.1:${port}`, '--enough', '1', '--json', '-'];
    const { status, stdout, stderr } = await toItsEnd(startDeadheat(args, { cwd }));
    expect(stderr).not.toContain('deadheat: bug');
    expect(status).toBe(66);
    const [race] = JSON.parse(stdout).races;
    expect(race).toMatchObject({ kind: 'data-race', verdict: 'confirmed' });
    server.stdin!.end('x');
    expect(await printed).toContain('over');
  });

  it('says that the stub has gone away, and does not exit as if nothing had been found', async () => {
    const { server, port } = await startServer();
    const cwd = scratchFolder();
    const watching = startDeadheat(
      ['watch', '--gdb', `127.0.0.1:${port}`, '--functions', '^come_and_go$'],
      { cwd },
    );
    const ended = toItsEnd(watching);
    watching.stderr!.once('data', () => server.kill('SIGKILL'));
    const { status, stdout, stderr } = await ended;
    expect(status).toBe(69);
    expect(stdout + stderr).toContain(`the gdb stub at 127.0.0.1:${port} has`);
  });
});

async function toItsEnd(
  child: ChildProcess,
): Promise<{ status: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', (bytes) => {
    stdout += bytes;
  });
  child.stderr!.on('data', (bytes) => {
    stderr += bytes;
  });
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}
