/**
 * Threads of one process wait for each other in memory, which nobody sees. One that has to wait for
 * another had better not run on in its own code, where it may take a lock that the other one needs:
 *
 *   A   read₁ ·· (wants the lock)  write₂      B came back from its poll, which released the lock, and
 *   B   poll₀ ···························· open₃   would take it again, only to be held at its open
 *
 * So it stays where its last call has ended, until it is its turn, or nobody else can move.
 */
import { syscallNumber } from '../../linux/syscalls.ts';
import { usesFutex } from './futexes.ts';
import type { Player } from './player.ts';
import type { Players } from './players.ts';
import type { Item } from './script.ts';

/** Which signals a thread lets in is its own business. */
const SIGPROCMASK = syscallNumber('rt_sigprocmask');

/**
 * Signals come when they come, and a futex may not be needed. For the end of a thread only a join
 * waits, which the kernel sees to; on its way there it may need a lock that whoever waits for it holds.
 */
export function isInThreadOrder({ isSignificant, record, task }: Item): boolean {
  if (!isSignificant || record.kind === 'signal') return false;
  if (record.kind === 'exit') return task.start.how !== 'thread';
  return record.kind !== 'call' || !(usesFutex(record) || record.number === SIGPROCMASK);
}

/** Besides what it is doing already. */
const nextInOrder = (player: Player): Item | undefined =>
  player.upcoming((item) => item === player.doing || !isInThreadOrder(item));

/**
 * Whether another thread of its process has something to do before, and is not at the last of it already:
 *
 *   A   pipe₁  fork₂           while A is in its pipe₁, B has to stay: fork takes locks, and A is to
 *   B   pipe₀ ······· fork₃    have them first
 */
export function runsAhead(player: Player, players: Players): boolean {
  const own = nextInOrder(player);
  if (!own) return false;
  for (const other of players) {
    if (other === player || other.script.start.pid !== player.script.start.pid) continue;
    const item = nextInOrder(other);
    if (item && item.turn < own.turn) return true;
  }
  return false;
}

/** Those who stay where their last call has ended for that, the earliest first. */
export function waitingForThreads(players: Players): readonly Player[] {
  const turnOf = ({ next }: Player): number => next?.turn ?? Number.POSITIVE_INFINITY;
  return [...players]
    .filter(({ standing }) => standing?.at === 'return' && standing.forThreads)
    .sort((a, b) => turnOf(a) - turnOf(b));
}
