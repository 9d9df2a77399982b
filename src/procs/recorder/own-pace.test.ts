import { expect, it } from 'vitest';
import type { Tid } from '../../linux/ids.ts';
import { PLAIN_INHERITANCE } from '../../linux/own-inheritance.ts';
import { syscallName } from '../../linux/syscalls.ts';
import { FreeConductor } from '../branch/free-conductor.ts';
import type { EnteredCall } from './conductor.ts';
import { PtraceRecorder } from './ptrace-recorder.ts';

/** Has hardly any patience, and notes in which calls somebody was when it was told that nothing moves. */
class Impatient extends FreeConductor {
  readonly stalledIn = new Set<string>();
  readonly #current = new Map<Tid, string>();

  override enters(task: Tid, call: EnteredCall): void {
    this.#current.set(task, syscallName(call.number));
    super.enters(task, call);
  }

  override left(task: Tid): boolean {
    this.#current.delete(task);
    return super.left(task);
  }

  override patience(): number | undefined {
    const [somebody] = this.family;
    return somebody && 1;
  }

  override stalled(): void {
    for (const call of this.#current.values()) this.stalledIn.add(call);
  }
}

function stalledIn(...args: string[]): ReadonlySet<string> {
  const conductor = new Impatient();
  const observer = { append: () => {}, alive: () => {}, mustEnd: () => false };
  new PtraceRecorder(observer, conductor).run({
    path: args[0]!,
    args,
    environment: ['PATH=/usr/bin:/bin'],
    inheritance: PLAIN_INHERITANCE,
  });
  return conductor.stalledIn;
}

it('a call that works for longer than anybody has patience is not taken for one that waits', () => {
  // One read, which makes random bytes all the time: many milliseconds on any machine.
  const words = '/bin/dd if=/dev/urandom of=/dev/null bs=32M count=1 status=none'.split(' ');
  expect(stalledIn(...words)).not.toContain('read');
});

it('a call that waits for another process is', () => {
  expect(stalledIn('/bin/sh', '-c', 'sleep 0.3; :')).toContain('wait4');
});
