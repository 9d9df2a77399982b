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
import type {
  DebugTarget,
  OpenedWindow,
  QuietWindow,
  Runner,
  TargetEnd,
  TargetEvent,
  WindowPlan,
} from './debug-target.ts';
import { Figures } from './figures.ts';
import { HitBudget } from './hit-budget.ts';
import { SeededRandom } from './random.ts';
import { RepeatedHits } from './repeated-hits.ts';
import { RunningLooks } from './running-looks.ts';
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
const LOOK_UP_MS = 250;
/** Of a small program all that is run is planted before long: what was hit of it is planted again as soon as that. */
const PLANT_AGAIN_MS = 60;
/** What is done before the program begins takes nothing from it but this. */
const PREPARE_MS = 200;
/** So often it is planned what to plant, where that can be done for a while, and for so many times at once. */
const PLANNED_EVERY_MS = 20;
const MOST_PLANNED = 16;
/** That is not to take longer. */
const LONGEST_PLANNING_MS = 4;

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
  readonly #running: RunningLooks;
  readonly #windows: Windows;
  #functions: RegExp | undefined;
  #turn = 0;
  /** What is to be hit until then is planted. */
  #plannedUntil = Number.NEGATIVE_INFINITY;
  /** Those that there was time to look at, whether there was anything to see or not. */
  #hitsInTime = 0;
  /** When it was last planned what to plant, after somebody was hit. */
  #hitsThen = 0;
  #hitsAt = Number.NEGATIVE_INFINITY;
  /** Fewer are planted than wanted, since there are no more; but these are hit. */
  #runsOut = false;

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
    this.#running = new RunningLooks(target, this.sampler, now);
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
        const isExact = deadline === nextClose;
        const event = await this.#target.next(deadline, isExact, this.#windowPlan());
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
    await this.#running.look(this.#repeats.areMissed);
    await this.#plantFor(now);
    this.figures.planted = this.#supply.size + this.#repeats.size;
  }

  /**
   * Whoever is hit before there is time to look is stopped for nothing: each stands from when a hit is due. If nobody has
   * come to it by then, there are more.
   */
  async #plantFor(now: number): Promise<void> {
    const stepMs = Math.min(this.#budget.everyMs, PLANNED_EVERY_MS);
    const aheadMs = Math.min(LOOK_UP_MS, MOST_PLANNED * stepMs);
    const until = this.#target.plansAhead ? now + aheadMs : now;
    const isSoonAgain = now < this.#hitsAt + PLANT_AGAIN_MS;
    const areHit = this.figures.hits > this.#hitsThen || (isSoonAgain && this.#runsOut);
    if (this.figures.hits > this.#hitsThen) {
      this.#hitsAt = now;
      this.#hitsThen = this.figures.hits;
      this.#repeats.haveMore();
    }
    this.#runsOut = false;
    for (let due = this.#nextDue(now); due <= until; due = this.#nextDue(now)) {
      const isLikely = this.#nextNew <= due && (await this.#supply.plantMore(due));
      if (!isLikely && this.#nextRepeat <= due) await this.#repeats.plantSome(due);
      if (!this.#target.plansAhead) return;
      if (this.#supply.isExhausted && this.#nextRepeat === Number.POSITIVE_INFINITY) {
        this.#runsOut = areHit;
        return;
      }
      this.#plannedUntil = due + stepMs;
      if (this.#now() - now > LONGEST_PLANNING_MS) return;
    }
  }

  /** The first hit that nothing is planted for yet. */
  #nextDue(now: number): number {
    return Math.max(this.#budget.nextAt(now), this.#plannedUntil);
  }

  /** When there is something to do, besides windows that are to be closed. */
  #nextTurn(): number {
    const now = this.#now();
    return Math.min(
      now + (this.#runsOut ? PLANT_AGAIN_MS : LOOK_UP_MS),
      this.#supply.nextAdjustment(this.#options.settings.rate),
      // Perhaps at once; what happens in between is not missed.
      Math.max(this.#nextDue(now), Math.min(this.#nextNew, this.#nextRepeat)),
    );
  }

  /** While others are open, it takes more than that. */
  #windowPlan(): WindowPlan | undefined {
    if (this.#windows.nextClose < Number.POSITIVE_INFINITY) return undefined;
    const { everyMs, savedMs } = this.#budget;
    const due = this.#budget.nextAt(this.#now());
    const from = Math.max(due, this.#windows.allMayBeHeldFrom);
    return { from, everyMs, savedMs, windowMs: this.#options.settings.windowMs };
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
        return event.window ? this.#opened(event, event.window) : this.#hit(event);
      case 'quiet':
        for (const window of event.windows) await this.#wasQuiet(window);
        return this.#passed(event.passed);
      case 'watchpoint':
        return this.#windows.touched(event);
      case 'lost': {
        const closed = await this.#windows.lost(event.runner);
        if (closed) this.#supply.giveBack(closed.address, closed.result);
        return;
      }
      case 'code-changed':
        this.code.forget();
        this.#running.startAnew();
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

  /** The target has opened a window by itself, and it stays open. */
  async #opened(
    { runner, address, registers }: TargetEvent & { kind: 'breakpoint' },
    window: OpenedWindow,
  ): Promise<void> {
    const { heldSince } = window;
    const isOurs = await this.#takeQuickHit(address, heldSince);
    const access = watchedAccess(await touchedAt(this.#target, address, registers), 0);
    if (access?.address !== window.touched) {
      // The code is not there any more, nor perhaps the program: there is nothing to tell.
      await this.#target.disarm(window.watch);
      if (isOurs) this.#supply.giveBack(address, 'unwatched');
      return this.#target.release(runner);
    }
    const { windowMs } = this.#options.settings;
    this.#windows.adopt({ runner, registers, address, access, heldSince }, window, windowMs);
  }

  async #wasQuiet(window: QuietWindow): Promise<void> {
    const isOurs = await this.#takeQuickHit(window.address, window.heldSince);
    const result = this.#windows.wasQuiet(window);
    if (isOurs) this.#supply.giveBack(window.address, result);
  }

  /** For which there was time, as the target knew. False if it was not ours any more. */
  async #takeQuickHit(address: bigint, heldSince: number): Promise<boolean> {
    this.figures.hits++;
    this.#hitsInTime++;
    this.#budget.take(heldSince, true);
    return (await this.#supply.takeHit(address)) || (await this.#repeats.takeHit(address));
  }

  #isInTime(runner: Runner, now: number, isNew: boolean): boolean {
    const { areWanted } = this.#repeats;
    // In this order: a hit that comes to nothing is one as well.
    if (this.#budget.take(now, isNew && areWanted) && this.#windows.mayHold(runner)) {
      this.#hitsInTime++;
      return true;
    }
    this.#hitTooMany(isNew);
    return false;
  }

  /** What is new is not given up as long as there are others. */
  #hitTooMany(isNew: boolean): void {
    if (isNew && !this.#repeats.areWanted) this.#supply.hitTooMany();
    else this.#repeats.hitTooMany();
  }

  async #passed(addresses: readonly bigint[]): Promise<void> {
    for (const address of addresses) {
      this.figures.hits++;
      const isNew = await this.#supply.takeHit(address);
      this.#hitTooMany(isNew);
      if (isNew || (await this.#repeats.takeHit(address))) {
        this.#supply.giveBack(address, 'unwatched');
      }
    }
  }

  async #unplantAll(): Promise<void> {
    this.#plannedUntil = Number.NEGATIVE_INFINITY;
    await this.#supply.removeAll();
    await this.#repeats.removeAll();
  }

  async #readFunctions(): Promise<void> {
    this.sampler.setFunctions(await this.#target.functions(), this.#functions);
    this.sampler.suspect((await this.#options.suspects?.()) ?? []);
    if (this.#target.waitsToBegin) await this.sampler.prepare(PREPARE_MS);
  }
}
