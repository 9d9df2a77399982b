/**
 * A race as a picture in text, of two columns: what happened, and what else can. Each engine has its own:
 *
 *   procs      both orders of the calls, and what each led to         two-orders.ts
 *   threads    the order that was traced, and the one that meets      meeting.ts
 *   tolerate   how a section was disturbed, and what became of it     resolution.ts
 *   watch, sample, and what has no witness: both sides                both-sides.ts
 */
import type { Race, Report } from '../model.ts';
import { bothSides } from './both-sides.ts';
import { meeting } from './meeting.ts';
import { resolved } from './resolution.ts';
import { twoOrders } from './two-orders.ts';

export function racePicture(report: Report, race: Race, width: number): string[] {
  if (report.engine === 'procs') return twoOrders(report, race, width);
  if (race.resolution !== undefined) return resolved(race, race.resolution, width);
  return race.rung === undefined ? bothSides(race, width) : meeting(race, width);
}
