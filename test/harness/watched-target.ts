/** Processes as targets of watching, in tests. */
import { existsSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { Signal, sendSignal } from '../../src/linux/signals.ts';
import type { CodeFunction, TargetEvent, WatchedBytes } from '../../src/watch/debug-target.ts';
import { launchTarget } from '../../src/watch/ptrace/launch.ts';
import type { PtraceTarget, TargetOptions } from '../../src/watch/ptrace/ptrace-target.ts';
import { scratchFolder } from './scratch.ts';
import { compiledC, runnable } from './watched-program.ts';

export const WAYS = ['perf events', 'debug registers'] as const;

/** For what hangs. */
const LONG_MS = 60_000;

/** A C program, ready to be watched, that is gone after the test. */
export async function launched(text: string, options: TargetOptions = {}, ...args: string[]) {
  const folder = scratchFolder();
  const target = await launchTarget(runnable(folder, compiledC(folder, text), ...args), options);
  onTestFinished(async () => {
    if (existsSync(`/proc/${target.pid}`)) sendSignal(target.pid, Signal.SIGKILL);
    await target.leave();
  });
  return { folder, target };
}

export async function functionNamed(target: PtraceTarget, name: string): Promise<CodeFunction> {
  const found = (await target.functions()).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

/** The next event of a kind; runners that stop meanwhile go on. */
export async function nextOf<Kind extends TargetEvent['kind']>(
  target: PtraceTarget,
  kind: Kind,
): Promise<Extract<TargetEvent, { kind: Kind }>> {
  for (const deadline = performance.now() + LONG_MS; ; ) {
    const event = await target.next(deadline);
    if (event.kind === kind) return event as Extract<TargetEvent, { kind: Kind }>;
    if (event.kind === 'deadline' || event.kind === 'ended') {
      throw new Error(`instead of ${kind}: ${JSON.stringify(event)}`);
    }
    if ('runner' in event && event.kind !== 'lost') await target.release(event.runner);
  }
}

/** The function's first instruction is `add [rip+…],1`, or the like, of 8 bytes: these. */
export async function touchedBy(
  target: PtraceTarget,
  { start }: CodeFunction,
): Promise<WatchedBytes> {
  const code = Buffer.from(await target.read(start, 8));
  return { address: start + 8n + BigInt(code.readInt32LE(3)), size: 8 };
}

/** A breakpoint at the function is planted anew each time that somebody has come to it. */
export async function toTheEnd(target: PtraceTarget, name: string): Promise<TargetEvent> {
  const { start } = await functionNamed(target, name);
  await target.plant([start]);
  for (;;) {
    const event = await target.next(performance.now() + LONG_MS);
    if (event.kind === 'ended' || event.kind === 'deadline') return event;
    if (event.kind !== 'breakpoint') continue;
    await target.release(event.runner);
    await target.plant([start]);
  }
}

/** Somebody is held before the function `come`, and what it touches first is watched. */
export async function inWindow(target: PtraceTarget) {
  const come = await functionNamed(target, 'come');
  await target.plant([come.start]);
  const held = await nextOf(target, 'breakpoint');
  const watch = await target.arm([await touchedBy(target, come)], 'store', held.runner);
  expect(watch).toBeDefined();
  return { held, watch: watch! };
}
