/**
 * Brings a signal to a task at the moment at which it got it when it was recorded. It may have come
 * already and been put aside, may be on its way, or may have to be sent: the kernel makes one of two
 * that have not been delivered, such as of the ends of two children, and what came from outside,
 * nobody here will send.
 */
import { Signal, sendSignal } from '../../linux/signals.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import type { Release } from '../recorder/conductor.ts';
import { hasPending, waitsForSignals } from './pending-signals.ts';
import type { Player } from './player.ts';
import type { Item, Script } from './script.ts';

/** Who may go on for it; and whether the signal has been delivered by that, or still has to arrive. */
export interface Delivery {
  readonly release?: Release;
  readonly isDelivered: boolean;
}

const NOT_YET: Delivery = { isDelivered: false };

export function deliver(player: Player, item: Item, signal: number, script: Script): Delivery {
  const { standing, task } = player;
  if (standing?.at === 'signal') {
    player.standing = undefined;
    return { release: { task, signal }, isDelivered: true };
  }
  const early = player.early.indexOf(signal);
  if (early >= 0) player.early.splice(early, 1);
  const isOnItsWay = early < 0 && hasPending(task, signal);
  const isWaiting = standing?.at === 'call' || standing?.at === 'return';
  const isHere = isWaiting || (player.brokenOffBy === item && signal !== Signal.SIGCHLD);
  const isOurs = early < 0 && !isOnItsWay && isHere && mustBeSent(item, script);
  if (early >= 0 || isOurs) ignoringTheDead(() => sendSignal(task, signal));
  if (!isWaiting || !(early >= 0 || isOnItsWay || isOurs)) return NOT_YET;
  player.standing = undefined;
  if (standing.at === 'return') return { release: { task }, isDelivered: false };
  // Out of the call, so that the handler comes before it.
  if (!waitsForSignals(standing.call))
    return { release: { task, rewind: true }, isDelivered: false };
  player.doing = player.nextAction;
  return { release: { task }, isDelivered: false };
}

function mustBeSent({ record }: Item, { tasks }: Script): boolean {
  if (record.kind !== 'signal') return false;
  const { signal, from } = record;
  return signal === Signal.SIGCHLD || !tasks.some(({ start }) => start.tid === from);
}

/** What came to it before its time, and now may. */
export function sendEarly({ task, early }: Player): void {
  for (const signal of early.splice(0)) ignoringTheDead(() => sendSignal(task, signal));
}
