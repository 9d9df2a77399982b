/**
 * The machine in memory, with windows that it opens and closes by itself, as a process may (linux/quick-look.ts), and
 * breakpoints that stand only when their time has come.
 */
import type { QuietWindow, TargetEvent, WindowPlan } from '../debug-target.ts';
import { watchedAccess } from '../watched-access.ts';
import { touchedAt } from '../watched-code.ts';
import { SimulatedTarget } from './simulated-target.ts';

export class QuickSimulatedTarget extends SimulatedTarget {
  readonly plansAhead = true;
  quickWindows = 0;
  /** How many of them there were at most when they were told of. */
  mostAtOnce = 0;
  readonly #untold: TargetEvent[] = [];
  /** By address: from when on it is to stand. */
  readonly #later = new Map<bigint, number>();

  override async plant(addresses: readonly bigint[], from = 0): Promise<readonly bigint[]> {
    for (const address of addresses) this.#later.set(address, from);
    return addresses;
  }

  override async unplant(addresses: readonly bigint[]): Promise<void> {
    for (const address of addresses) this.#later.delete(address);
    return super.unplant(addresses);
  }

  override async next(
    deadline: number,
    _isExact?: boolean,
    plan?: WindowPlan,
  ): Promise<TargetEvent> {
    const untold = this.#untold.shift();
    if (untold !== undefined) return untold;
    const windows: QuietWindow[] = [];
    const event = await this.#look(deadline, windows, plan);
    if (windows.length === 0) return event;
    this.mostAtOnce = Math.max(this.mostAtOnce, windows.length);
    this.#untold.unshift(event);
    return { kind: 'quiet', windows, passed: [] };
  }

  /** Until something happens that is more than a quiet window. */
  async #look(deadline: number, windows: QuietWindow[], plan?: WindowPlan): Promise<TargetEvent> {
    for (let from = plan?.from ?? 0; ; ) {
      const event = await this.#step(deadline);
      if (event.kind !== 'breakpoint' || plan === undefined) return event;
      if (this.now < from || this.heldCount > 1) return event;
      const looked = await this.#looked(event, plan.windowMs);
      if (looked.kind !== 'quiet') return looked;
      windows.push(...looked.windows);
      from = Math.max(from, this.now - plan.savedMs) + plan.everyMs;
    }
  }

  async #step(deadline: number): Promise<TargetEvent> {
    for (;;) {
      for (const [address, from] of this.#later) {
        if (from > this.now) continue;
        this.#later.delete(address);
        await super.plant([address]);
      }
      const next = Math.min(deadline, ...this.#later.values());
      const event = await super.next(next);
      if (event.kind !== 'deadline' || this.now >= deadline) return event;
    }
  }

  async #looked(hit: TargetEvent & { kind: 'breakpoint' }, windowMs: number): Promise<TargetEvent> {
    const access = watchedAccess(await touchedAt(this, hit.address, hit.registers), 0);
    const watch = access && (await this.arm(access.pieces, access.on, hit.runner));
    if (watch === undefined) return hit;
    this.quickWindows++;
    this.planted.delete(hit.address);
    const { address: touched, size } = access!;
    const before = await this.read(touched, size);
    const opened = { touched, heldSince: this.now, openedAt: this.now };
    const other = await super.next(this.now + windowMs);
    const isSame = Buffer.compare(before, await this.read(touched, size)) === 0;
    if (other.kind !== 'deadline') this.#untold.push(other);
    if (other.kind !== 'deadline' || !isSame) {
      return { ...hit, window: { ...opened, before, watch } };
    }
    await this.disarm(watch);
    await this.release(hit.runner);
    const { runner, address, registers } = hit;
    const window = { runner, address, registers, ...opened, overAt: this.now };
    return { kind: 'quiet', windows: [window], passed: [] };
  }
}
