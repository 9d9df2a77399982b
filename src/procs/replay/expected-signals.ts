/**
 * Where the script has a signal come to a task: before its next call, in a call that it breaks off, or as the last
 * one returned.
 *
 *   kill(15, SIGTERM) = 0 ·· 3 µs ·· SIGTERM arrives      whom it told had been waiting for just that
 *
 * In the last case the task must not make one step of its own between the two.
 */
import type { EnteredCall } from '../recorder/conductor.ts';
import { mayBeInterrupted } from './interruptible-calls.ts';
import { startsTask } from './mismatch.ts';
import type { Player } from './player.ts';
import type { Item } from './script.ts';
import type { Stage } from './stage.ts';

/** A signal that came within so long after a call came as the call returned, or if nobody did anything in between. */
const RIGHT_AFTER_NS = 500_000;

export function getsSignalBefore(
  { next }: Player,
  call: EnteredCall,
  { progress }: Stage,
): boolean {
  return next?.record.kind === 'signal' && progress.isInside(next) && !startsTask(call);
}

/** In a call that no record tells of, since it had no effect; the script has the signal next. */
export const getsSignalIn = ({ next }: Player, call: EnteredCall): boolean =>
  next?.record.kind === 'signal' && next.record.phase === 'interrupting' && mayBeInterrupted(call);

export function getsSignalAfter(player: Player, item: Item, { progress }: Stage): boolean {
  const following = player.itemAfter(item);
  return (
    following?.record.kind === 'signal' &&
    progress.isInside(following) &&
    item.record.kind === 'call' &&
    following.follows === item.record &&
    !(following.record.phase === 'interrupting' && following.record.sequence > item.record.exit) &&
    (following.record.time - item.record.leftAt < RIGHT_AFTER_NS ||
      following.record.sequence === item.record.exit + 1)
  );
}
