/**
 * Watches a program: samples accesses, and looks for a moment whether anybody else touches the same bytes.
 *
 *   a runner stands before a sampled access      it is held: a window is open
 *     the bytes are watched, for all the others
 *     somebody touches them …                    caught: neither waited for the other
 *     … or time is up                            and the bytes are not what they were: caught as well
 *   the runner goes on; another instruction is sampled
 *
 * Several windows may be open at once, but somebody always goes on running.
 */
import { unreachable } from '../base/assert.ts';
import { BreakpointSupply } from './breakpoint-supply.ts';
import type { CaughtRace } from './caught.ts';
import type { DebugTarget, Runner, TargetEnd, TargetEvent } from './debug-target.ts';
import { Figures } from './figures.ts';
import { HitBudget } from './hit-budget.ts';
import { SeededRandom } from './random.ts';
import { RepeatedHits } from './repeated-hits.ts';
import { Sampler } from './sampler.ts';
import type { WatchSettings } from './settings.ts';
import { watchedAccess } from './watched-access.ts';
import { touchedAt, WatchedCode } from './watched-code.ts';
import { Windows } from './windows.ts';

export interface WatchOptions {
  readonly settings: WatchSettings;
  readonly seed: number;
  /** Whose functions are sampled as long as the settings name none. */
  readonly usualModules?: readonly string[] | undefined;
  /** Planted first, and again and again; asked anew when code has changed. */
  readonly suspects?: () => Promise<readonly bigint[]>;
  /** Told of each race while both runners stand. */
  readonly caught: (race: CaughtRace) => Promise<unknown>;
  readonly stop?: AbortSignal;
  readonly now?: () => number;
}

/** Somebody may have changed the settings. */
const LOOK_UP_MS = 100;
/** So often it is asked what is running, while too little of that is known. */
const LOOK_FOR_RUNNING_MS = 200;
/** What is done before the program begins takes nothing from it but this. */
const PREPARE_MS = 200;

export class WatchLoop {
  readonly code: WatchedCode;
  readonly figures: Figures;
  readonly sampler: Sampler;
  readonly #target: DebugTarget;
  readonly #options: WatchOptions;
  readonly #now: () => number;
  readonly #budget: HitBudget;
  readonly #supply: BreakpointSupply;
  readonly #repeats: RepeatedHits;
  readonly #windows: Windows;
  #functions: RegExp | undefined;
  #turn = 0;
  #nextLook = Number.NEGATIVE_INFINITY;
  /** Those that there was time to look at, whether there was anything to see or not. */
  #hitsInTime = 0;

  constructor(target: DebugTarget, options: WatchOptions) {
    const { settings, seed, caught, now = () => performance.now() } = options;
    this.#target = target;
    this.#options = options;
    this.#now = now;
    this.code = new WatchedCode(target);
    this.figures = new Figures(now());
    this.sampler = new Sampler(this.code, new SeededRandom(seed), options.usualModules, now);
    this.#budget = new HitBudget(settings.rate, now());
    this.#supply = new BreakpointSupply(target, this.sampler, now);
    this.#repeats = new RepeatedHits(target, this.sampler, now);
    this.#windows = new Windows(target, this.code, this.figures, caught, now);
    this.#functions = settings.functions;
  }

  /** How the program has ended; undefined if it was `stop` that ended the watching. */
  async run(): Promise<TargetEnd | undefined> {
    const { stop } = this.#options;
    const wake = (): void => this.#target.wake();
    stop?.addEventListener('abort', wake);
    try {
      await this.#readFunctions();
      while (!stop?.aborted) {
        await this.#plant();
        const { nextClose } = this.#windows;
        const deadline = Math.min(nextClose, this.#nextTurn());
        const event = await this.#target.next(deadline, deadline === nextClose);
        if (event.kind === 'ended') return event.end;
        await this.#handle(event);
        for (const { address, result } of await this.#windows.closeDue()) {
          this.#supply.giveBack(address, result);
        }
      }
      await this.#windows.closeAll();
      await this.#unplantAll();
      return undefined;
    } finally {
      stop?.removeEventListener('abort', wake);
    }
  }

  async #plant(): Promise<void> {
    const { settings } = this.#options;
    if (settings.functions !== this.#functions) {
      this.#functions = settings.functions;
      await this.#unplantAll();
      this.sampler.narrow(settings.functions);
    }
    const { rate } = settings;
    this.#budget.rate = rate;
    const now = this.#now();
    if (now >= this.#supply.nextAdjustment(rate)) await this.#supply.adjust(rate);
    await this.#repeats.adjust(this.#hitsInTime, rate);
    if (this.#repeats.areMissed && this.#nextLook <= now) {
      this.#nextLook = now + LOOK_FOR_RUNNING_MS;
      this.sampler.heardOf((await this.#target.running?.()) ?? []);
    }
    // Whoever is hit before there is time to look is stopped for nothing.
    const isDue = this.#budget.nextAt(now) <= now;
    if (isDue && this.#nextNew <= now) await this.#supply.plantMore();
    if (isDue && this.#nextRepeat <= now) await this.#repeats.plantOne();
    this.figures.planted = this.#supply.size + this.#repeats.size;
  }

  /** When there is something to do, besides windows that are to be closed. */
  #nextTurn(): number {
    const now = this.#now();
    return Math.min(
      now + LOOK_UP_MS,
      this.#supply.nextAdjustment(this.#options.settings.rate),
      // Perhaps at once; what happens in between is not missed.
      Math.max(this.#budget.nextAt(now), Math.min(this.#nextNew, this.#nextRepeat)),
    );
  }

  get #nextNew(): number {
    return this.#supply.isShort ? this.#supply.nextPlanting : Number.POSITIVE_INFINITY;
  }

  get #nextRepeat(): number {
    // Where windows fill the time, none are missing.
    if (this.#windows.nextClose < Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    return this.#repeats.nextAt(this.#options.settings.rate);
  }

  async #handle(event: Exclude<TargetEvent, { kind: 'ended' }>): Promise<void> {
    switch (event.kind) {
      case 'breakpoint':
        return this.#hit(event);
      case 'watchpoint':
        return this.#windows.touched(event);
      case 'lost': {
        const closed = await this.#windows.lost(event.runner);
        if (closed) this.#supply.giveBack(closed.address, closed.result);
        return;
      }
      case 'code-changed':
        this.code.forget();
        await this.#unplantAll();
        return this.#readFunctions();
      case 'deadline':
        return;
    }
    unreachable(event, 'event');
  }

  async #hit({ runner, address, registers }: TargetEvent & { kind: 'breakpoint' }): Promise<void> {
    const heldSince = this.#now();
    this.figures.hits++;
    const isNew = await this.#supply.takeHit(address);
    const isOurs = isNew || (await this.#repeats.takeHit(address));
    const isAllowed =
      isOurs && this.#isInTime(runner, heldSince, isNew) && this.#target.othersRunning() > 0;
    const touched = isAllowed ? await touchedAt(this.#target, address, registers) : [];
    const access = watchedAccess(touched, this.#turn++);
    const isOpen =
      access !== undefined &&
      (await this.#windows.open(
        { runner, registers, address, access, heldSince },
        this.#options.settings.windowMs,
      ));
    if (isOpen) return;
    if (isOurs) this.#supply.giveBack(address, 'unwatched');
    await this.#target.release(runner);
    this.figures.heldMs += this.#now() - heldSince;
  }

  #isInTime(runner: Runner, now: number, isNew: boolean): boolean {
    const { areWanted } = this.#repeats;
    // In this order: a hit that comes to nothing is one as well.
    if (this.#budget.take(now, isNew && areWanted) && this.#windows.mayHold(runner)) {
      this.#hitsInTime++;
      return true;
    }
    if (areWanted) this.#repeats.hitTooMany();
    else this.#supply.hitTooMany();
    return false;
  }

  async #unplantAll(): Promise<void> {
    await this.#supply.removeAll();
    await this.#repeats.removeAll();
  }

  async #readFunctions(): Promise<void> {
    this.sampler.setFunctions(await this.#target.functions(), this.#functions);
    this.sampler.suspect((await this.#options.suspects?.()) ?? []);
    if (this.#target.waitsToBegin) await this.sampler.prepare(PREPARE_MS);
  }
}
