/** Makes two threads meet before the accesses that a witness leads to. */
import { UserError } from '../../base/user-error.ts';
import type { ThreadTrace } from '../model/trace.ts';
import type { RaceWitness } from '../predict/witness.ts';
import { racingSidesOf } from './racing-sides.ts';
import { scheduleOf } from './schedule.ts';
import type { StandOffLimits, StandOffResult } from './side.ts';
import { type StandOffProgram, standOff } from './stand-off.ts';

export async function confirmRace(
  trace: ThreadTrace,
  witness: RaceWitness,
  target: StandOffProgram,
  limits: StandOffLimits,
): Promise<StandOffResult> {
  const schedule = scheduleOf(trace, witness);
  const sides = racingSidesOf(trace, schedule);
  if (sides === undefined) {
    throw new UserError(
      'nobody knows which instructions race: the trace was imported, or lacks them',
      'trace the program itself with deadheat trace',
    );
  }
  return standOff(target, schedule, sides, limits);
}
