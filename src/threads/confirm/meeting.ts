/**
 * What happens when a thread comes to one of the racing instructions: it is held there if it is the first, or it
 * meets the one that is held already, and then the race is proven.
 *
 *   T2 comes to its store of 0x5040                        is held
 *   T1 comes to its load of 0x5080                         passes
 *   T1 comes to its load of 0x5040                         both stand there at once: confirmed
 *
 * That proves it whatever else was delayed on the way: threads are only ever held back, and a thread may be slow
 * anywhere. Where a schedule is followed, a thread counts only once all its steps are behind it. Atomic accesses
 * that have a turn in the schedule wait for it here as well.
 */
import { overlap, type TouchedBytes } from '../../binary/code/touched-memory.ts';
import { type ImageFiles, LoadedImages } from '../../debugger/loaded-images.ts';
import { frameRegisters, stackTrace } from '../../debugger/stack-trace.ts';
import { touchedAt } from '../../debugger/touched-at.ts';
import type { StopHandler, TracedProcess } from '../../debugger/traced-process.ts';
import { Breakpoints, type Hit } from '../../linux/breakpoints.ts';
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { hasFixedAddresses } from '../../linux/personality.ts';
import { readMemory } from '../../linux/process-memory.ts';
import { readRegisters } from '../../linux/ptrace.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import { AtomicTurns } from './atomic-turns.ts';
import type { Gate } from './gate.ts';
import { RacingCode, type RacingPlace } from './racing-code.ts';
import type { CodePlace, MissedCause, RacingSides, Standing } from './side.ts';
import type { WantedAddresses } from './wanted-addresses.ts';

/** How a stand-off came out. */
export type Outcome =
  | { readonly kind: 'confirmed'; readonly sides: readonly [Standing, Standing] }
  | { readonly kind: 'missed'; readonly cause: MissedCause; readonly reason: string };

/** A side that a thread can be, by what it is about to touch. */
interface Role {
  readonly side: 0 | 1;
  readonly touched: readonly TouchedBytes[];
}

interface Comer {
  readonly task: Tid;
  readonly hit: Hit;
  readonly place: RacingPlace;
  readonly roles: readonly Role[];
}

const ENOUGH_TIMES = 1000;
/** Of what was there, so much is kept. */
const MOST_VALUE_BYTES = 64;

export interface MeetingSetup {
  readonly race: RacingSides;
  readonly gate: Gate | undefined;
  readonly wanted: WantedAddresses;
  readonly files: ImageFiles;
}

export class Meeting implements StopHandler {
  outcome: Outcome | undefined;
  /** How often somebody has come to one of the instructions. */
  comings = 0;
  readonly #setup: MeetingSetup;
  #process: TracedProcess | undefined;
  #code: RacingCode | undefined;
  #held: Comer | undefined;
  readonly #turns: AtomicTurns;
  /** By address of an instruction: how often it has been come to since it showed something new. */
  readonly #nothingNew = new Map<bigint, number>();

  constructor(setup: MeetingSetup) {
    this.#setup = setup;
    this.#turns = new AtomicTurns(setup.gate);
  }

  set process(process: TracedProcess) {
    this.#process = process;
  }

  get held(): Tid | undefined {
    return this.#held?.task;
  }

  /** Where it stands. */
  get heldAt(): CodePlace | undefined {
    const side = this.#held?.roles[0]?.side;
    return side === undefined ? undefined : this.#setup.race.sides[side].code;
  }

  /** All who stand because of us. */
  get standing(): Tid[] {
    return [...(this.#held ? [this.#held.task] : []), ...this.#turns.tasks];
  }

  /** Files with racing code that were not loaded. */
  get missing(): readonly string[] {
    return this.#code?.missing ?? [];
  }

  arrived(task: Tid): 'goes on' {
    const process = this.#process!;
    const quiet = readRegisters(task).instruction;
    process.breakpoints = new Breakpoints(process.process, quiet);
    const { files, race } = this.#setup;
    this.#code = new RacingCode(process.process, process.breakpoints, files, race);
    this.#expectVariable();
    this.#insert(task);
    return 'goes on';
  }

  hit(task: Tid, hit: Hit): void {
    const { address } = hit;
    const place = this.#code?.at(address);
    if (place === undefined) {
      if (this.#code?.isLoader(address)) this.#insert(task);
      return this.#process!.pass(task, hit);
    }
    this.comings++;
    const comer = this.#comer(task, hit, place);
    if (this.#meets(comer)) return;
    const isWanted = comer.roles.some(({ touched }) =>
      touched.some((one) => this.#setup.wanted.isWanted(one)),
    );
    if (this.#held === undefined && isWanted) this.#held = comer;
    else if (this.#turns.hasToWait(task, address, place.atomics)) this.takeTurns();
    else this.#passBy(comer);
  }

  lost(task: Tid): void {
    if (this.#held?.task === task) this.#held = undefined;
    this.#turns.lost(task);
  }

  /** The one who is held goes on, without having met anybody. */
  release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) ignoringTheDead(() => this.#process!.pass(held.task, held.hit));
  }

  /** Lets those go on whose atomic access has its turn. */
  takeTurns(): void {
    if (this.#process) this.#turns.take(this.#process);
  }

  #expectVariable(): void {
    const { race, wanted, files } = this.#setup;
    const { variable } = race;
    const { process } = this.#process!;
    const isFixed = hasFixedAddresses(process);
    if (!isFixed) wanted.forget();
    if (variable === undefined) return wanted.expect(undefined);
    const { path, size } = variable;
    if (path === undefined && !isFixed) return;
    const images = new LoadedImages(process, files);
    const bias = path === undefined ? 0n : images.find(path)?.bias;
    const address = bias === undefined ? undefined : bias + BigInt(variable.address);
    wanted.expect(address === undefined ? undefined : { address, size });
  }

  #insert(task: Tid): void {
    const inserted = this.#code!.insert(task);
    if (!inserted.ok) {
      this.outcome = { kind: 'missed', cause: 'impossible', reason: inserted.error };
    }
  }

  #comer(task: Tid, hit: Hit, place: RacingPlace): Comer {
    const touched = touchedAt(task, hit.registers, place);
    const roles = place.sides.flatMap((side): Role[] => {
      const { isStore } = this.#setup.race.sides[side];
      const own = touched.filter(({ isRead, isWritten }) => (isStore ? isWritten : isRead));
      if (own.length === 0 || !this.#isTime(task, side)) return [];
      if (this.#setup.wanted.see(side, own)) this.#nothingNew.delete(hit.address);
      return [{ side, touched: own }];
    });
    return { task, hit, place, roles };
  }

  /** A loop may come there a million times, after all that it can show is known. */
  #passBy({ task, hit, place }: Comer): void {
    const { address } = hit;
    if (this.#setup.wanted.isOnlyWatching && place.atomics.length === 0) {
      const times = (this.#nothingNew.get(address) ?? 0) + 1;
      this.#nothingNew.set(address, times);
      if (times > ENOUGH_TIMES) this.#process!.breakpoints?.remove(address);
    }
    this.#process!.pass(task, hit);
  }

  /** Whether the thread is the one that the schedule has for this side, and has got there. */
  #isTime(task: Tid, side: 0 | 1): boolean {
    const { gate, race } = this.#setup;
    const { thread } = race.sides[side];
    if (gate === undefined || thread === undefined) return true;
    return gate.numberOf(task) === thread && gate.isThrough(thread);
  }

  #meets(comer: Comer): boolean {
    const held = this.#held;
    if (held === undefined) return false;
    for (const one of held.roles) {
      for (const other of comer.roles) {
        if (one.side === other.side || !this.#conflict(held, one.side, comer, other.side)) continue;
        for (const a of one.touched) {
          const b = other.touched.find((touched) => overlap(a, touched));
          if (b === undefined) continue;
          const standings = [
            this.#standing(held, one, a),
            this.#standing(comer, other, b),
          ] as const;
          this.#held = undefined;
          this.outcome = {
            kind: 'confirmed',
            sides: one.side === 0 ? standings : [standings[1], standings[0]],
          };
          this.#process!.letGo([held.task, comer.task, ...this.#turns.tasks]);
          return true;
        }
      }
    }
    return false;
  }

  #conflict(held: Comer, heldSide: 0 | 1, comer: Comer, comerSide: 0 | 1): boolean {
    const { sides } = this.#setup.race;
    const [one, other] = [sides[heldSide], sides[comerSide]];
    const isAtomic = (place: RacingPlace, declared: boolean | undefined): boolean =>
      place.instruction.isAtomic || declared === true;
    const bothAtomic = isAtomic(held.place, one.isAtomic) && isAtomic(comer.place, other.isAtomic);
    return (one.isStore || other.isStore) && !bothAtomic;
  }

  #standing({ task, hit: { registers } }: Comer, { side }: Role, touched: TouchedBytes): Standing {
    const { files, gate, race } = this.#setup;
    const { address, size } = touched;
    const images = new LoadedImages(this.#process!.process, files);
    return {
      tid: task,
      thread: gate?.numberOf(task),
      registers,
      ...{ address, size },
      isStore: race.sides[side].isStore,
      value: readMemory(task, traceeAddress(address), Math.min(size, MOST_VALUE_BYTES)),
      stack: stackTrace(task, frameRegisters(registers), images),
    };
  }
}
