/** Processes as targets of watching, in tests. */
import { existsSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { Signal, sendSignal } from '../../src/linux/signals.ts';
import type { CodeFunction, TargetEvent } from '../../src/watch/debug-target.ts';
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

/** Somebody is held before the function `come`, whose first instruction is `add [rip+…],1` of 8 bytes; these are watched. */
export async function inWindow(target: PtraceTarget) {
  const come = await functionNamed(target, 'come');
  await target.plant([come.start]);
  const held = await nextOf(target, 'breakpoint');
  const code = Buffer.from(await target.read(come.start, 8));
  const address = come.start + 8n + BigInt(code.readInt32LE(3));
  const watch = await target.arm([{ address, size: 8 }], 'store', held.runner);
  expect(watch).toBeDefined();
  return { held, watch: watch! };
}
