/** A server under load that is attached to and left again and again: it answers every request. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryTo } from '../src/base/result.ts';
import { PLAIN_INHERITANCE } from '../src/linux/own-inheritance.ts';
import { Signal, sendSignal } from '../src/linux/signals.ts';
import { startUntraced, type UntracedChild } from '../src/linux/start-untraced.ts';
import { attachTarget } from '../src/watch/ptrace/attach.ts';
import type { PtraceTarget } from '../src/watch/ptrace/ptrace-target.ts';
import { scratchFolder } from './harness/scratch.ts';
import { codeOf, statusOf } from './harness/watched-program.ts';
import { WAYS } from './harness/watched-target.ts';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('skipped: no redis-server');

const ATTACHES = 50;
const HITS = 10;

function inShell(script: string): UntracedChild {
  const args = ['sh', '-c', script];
  const environment = ['PATH=/usr/bin:/bin'];
  const child = startUntraced({
    ...{ path: '/bin/sh', args, environment, inheritance: PLAIN_INHERITANCE },
  });
  onTestFinished(async () => {
    if (child.status() === undefined) void tryTo(() => sendSignal(child.pid, Signal.SIGKILL));
    await statusOf(child);
  });
  return child;
}

/** Windows at whatever function comes first. */
async function windows(target: PtraceTarget, starts: readonly bigint[]): Promise<number> {
  let hits = 0;
  while (hits < HITS) {
    await target.plant(starts);
    const event = await target.next(performance.now() + 100);
    if (event.kind === 'deadline') break;
    if (event.kind === 'watchpoint') await target.release(event.runner);
    if (event.kind !== 'breakpoint') continue;
    hits++;
    const address = event.registers.get('rdi') & ~7n;
    const watch = await target.arm([{ address, size: 8 }], 'load-or-store', event.runner);
    const other = await target.next(performance.now() + 1);
    if (other.kind === 'breakpoint' || other.kind === 'watchpoint') {
      await target.release(other.runner);
    }
    if (watch) await target.disarm(watch);
    await target.release(event.runner);
  }
  return hits;
}

describe.runIf(hasRedis).each(WAYS)('redis-server, watched by %s', (watchpoints) => {
  it(`loses no request when it is attached to ${ATTACHES} times`, async () => {
    const folder = scratchFolder();
    const socket = join(folder, 'redis.sock');
    const server = inShell(
      `exec redis-server --port 0 --unixsocket ${socket} --save '' --dir ${folder} --io-threads 2 > ${folder}/log`,
    );
    while (!existsSync(socket)) await sleep(10);
    const before = codeOf(server.pid);
    // Counts what was answered; it ends with an error if a connection is lost.
    const load = inShell(
      `i=0; while ! test -e ${folder}/enough; do redis-benchmark -s ${socket} -n 2000 -c 10 -t incr -q > ${folder}/load || exit 1; i=$((i + 2000)); done; echo $i > ${folder}/sent`,
    );
    let hits = 0;
    for (let times = 0; times < ATTACHES; times++) {
      const target = await attachTarget(server.pid, { watchpoints });
      const functions = await target.functions();
      const step = Math.max(1, Math.floor(functions.length / 500));
      const starts = functions.filter((_, index) => index % step === times % step);
      hits += await windows(
        target,
        starts.map(({ start }) => start),
      );
      await target.leave();
      expect(target.process.isTraced).toBe(false);
    }
    expect(hits).toBeGreaterThan(0);
    expect(codeOf(server.pid)).toEqual(before);
    await statusOf(inShell(`touch ${folder}/enough`));
    expect(await statusOf(load)).toBe(0);
    await statusOf(inShell(`redis-cli -s ${socket} get counter:__rand_int__ > ${folder}/counted`));
    const read = (name: string): number => Number(readFileSync(join(folder, name), 'utf8'));
    expect(read('sent')).toBeGreaterThan(0);
    expect(read('counted')).toBe(read('sent'));
    await statusOf(inShell(`redis-cli -s ${socket} shutdown nosave`));
    expect(await statusOf(server)).toBe(0);
  });
});
