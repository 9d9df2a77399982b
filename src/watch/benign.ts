/**
 * Why a race that was caught may be harmless. It is told beside the race, and never hides it.
 *
 *   flags = 1; ‖ flags = 1;                  the same value is written
 *   test [flags],4 ‖ or [flags],8            different bits of one flag word
 *   inc [requests] ‖ inc [requests]          looks like a statistics counter
 *   lock inc [users] ‖ lock dec [users]      both sides are atomic
 *   while (!ready); ‖ ready = 1;             one side waits for the other
 *   while (xchg(&lock, 1)); ‖ lock = 0;      looks like the release of a lock
 *
 * Two instructions that change different bits of one word are not harmless unless both are atomic: each writes
 * back the other's bits as it has read them before.
 */

import { Mnemonic } from 'iced-x86';
import type { Instruction } from '../binary/code/instruction.ts';
import { spinLoads } from '../binary/code/spin-loads.ts';
import {
  countsDown,
  isStatisticsCounter,
  LOOKS_LIKE_STATISTICS,
} from '../binary/code/statistics-counter.ts';
import { storedValue } from '../binary/code/stored-value.ts';
import { touchedBits } from '../binary/code/touched-bits.ts';
import { registerValues } from '../debugger/touched-at.ts';
import type { CaughtRace, CaughtSide } from './caught.ts';
import { numberOf } from './value-text.ts';
import {
  bytesOf,
  type PlacedInstruction,
  touchedBy,
  type WatchedFunction,
} from './watched-code.ts';

export const BOTH_ARE_ATOMIC = 'both sides are atomic';

export function benignReason(race: CaughtRace): string | undefined {
  const { held, other } = race;
  if (isSameValue(race)) return 'the same value was written that was there already';
  if (other?.place === undefined) return undefined;
  if (held.place.instruction.isAtomic && other.place.instruction.isAtomic) {
    return BOTH_ARE_ATOMIC;
  }
  if ([held, other].some(isWaiting)) {
    return 'one side waits in a loop for what the other stores: it looks like a hand-over';
  }
  if (isRelease(held, other) || isRelease(other, held)) {
    return 'it looks like the release of a lock: one side stores 0, and the other takes it atomically';
  }
  if (areDifferentBits(race, other)) return 'they are about different bits of one flag word';
  return isStatistics(held.place) && isStatistics(other.place) ? LOOKS_LIKE_STATISTICS : undefined;
}

/** Neither side changes what is there, and at least one of them writes it. */
function isSameValue(race: CaughtRace): boolean {
  const { held, other, strategy, before, after } = race;
  if (other === undefined || Buffer.compare(before, after) !== 0) return false;
  // Whoever has just written has left the bytes as they were; of who is about to, registers tell.
  const othersLeave = strategy === 'watchpoint' || leavesItAsItIs(race, other);
  return othersLeave && leavesItAsItIs(race, held);
}

function leavesItAsItIs({ access, before }: CaughtRace, side: CaughtSide): boolean {
  const { isStore, place, registers } = side;
  if (!isStore) return true;
  if (place === undefined) return false;
  const [touched] = touchedBy(place, registers);
  const isWhole = touched?.address === access.address && touched.size === access.size;
  const value = storedValue(bytesOf(place), registerValues(registers).general);
  return isWhole && value !== undefined && value === numberOf(before);
}

function areDifferentBits(race: CaughtRace, other: CaughtSide): boolean {
  const { held } = race;
  if (held.isStore && other.isStore) return false;
  const mine = bitsOf(race, held);
  const theirs = bitsOf(race, other) ?? (other.isStore ? changedBits(race) : undefined);
  return mine !== undefined && theirs !== undefined && (mine & theirs) === 0n;
}

/** Counted from the lowest bit of the access that was watched. */
function bitsOf({ access }: CaughtRace, { place, registers }: CaughtSide): bigint | undefined {
  const bits = place && touchedBits(bytesOf(place));
  if (place === undefined || bits === undefined) return undefined;
  // Such an instruction changes none of the registers that its address is made of.
  const [touched] = touchedBy(place, registers);
  if (touched === undefined) return undefined;
  const distance = (touched.address - access.address) * 8n;
  return distance >= 0n ? bits.mask << distance : bits.mask >> -distance;
}

/** As a bit-field is stored: the whole word is read, changed and written. undefined if nothing was changed. */
function changedBits({ before, after }: CaughtRace): bigint | undefined {
  const changed = numberOf(before) ^ numberOf(after);
  return changed === 0n ? undefined : changed;
}

/** In a loop that does nothing else. */
function isWaiting({ place, isStore }: CaughtSide): boolean {
  if (place === undefined || isStore) return false;
  const { instructions } = place.inside;
  const places = new Map(instructions.map(({ address }, index) => [address, index]));
  return spinLoads({ instructions, places }, () => false).includes(place.instruction);
}

/** All that a lock on x86 needs to be let go is a plain store; to take it, it must be read and written at once. */
function isRelease(
  { place, registers, isLoad }: CaughtSide,
  { place: taker }: CaughtSide,
): boolean {
  if (place === undefined || taker === undefined || isLoad) return false;
  const value = storedValue(bytesOf(place), registerValues(registers).general);
  const { isAtomic, mnemonic } = taker.instruction;
  return value === 0n && isAtomic && TAKES.has(mnemonic);
}

const TAKES: ReadonlySet<Mnemonic> = new Set([...[Mnemonic.Xchg, Mnemonic.Cmpxchg, Mnemonic.Bts]]);

const isStatistics = ({ inside, instruction }: PlacedInstruction): boolean =>
  isStatisticsCounter(instruction, bytesIn(inside), inside.instructions);

/** Whether one of them takes away what others may have added: then it is no statistics, whoever adds. */
export const isCountedDown = ({ held, other }: CaughtRace): boolean =>
  [held.place, other?.place].some(
    (place) =>
      place !== undefined &&
      countsDown(place.instruction, bytesIn(place.inside), place.inside.instructions),
  );

const bytesIn =
  (inside: WatchedFunction) =>
  (instruction: Instruction): Uint8Array =>
    bytesOf({ inside, instruction });
