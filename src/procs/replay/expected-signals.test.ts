import { expect, it } from 'vitest';
import { getsSignalAfter } from './expected-signals.ts';
import type { Player } from './player.ts';
import type { Item } from './script.ts';
import type { Stage } from './stage.ts';

/** Whether a signal counts as having come when the call returned. */
function cameWithReturn(
  call: { exit: number; leftAt: number },
  signal: { sequence: number; time: number; phase?: 'interrupting' },
  leavesOut = false,
): boolean {
  const item = { record: { kind: 'call', ...call } } as unknown as Item;
  const follows = leavesOut ? { ...item.record } : item.record;
  const following = { record: { kind: 'signal', ...signal }, follows } as unknown as Item;
  const player = { itemAfter: () => following } as unknown as Player;
  const stage = { progress: { isInside: () => true } } as unknown as Stage;
  return getsSignalAfter(player, item, stage);
}

it('a signal that came soon after a call came as it returned', () =>
  expect(cameWithReturn({ exit: 10, leftAt: 0 }, { sequence: 14, time: 400_000 })).toBe(true));

it('and so did one before which nobody did anything, however slow the machine was', () =>
  expect(cameWithReturn({ exit: 10, leftAt: 0 }, { sequence: 11, time: 9_000_000 })).toBe(true));

it('another came later', () =>
  expect(cameWithReturn({ exit: 10, leftAt: 0 }, { sequence: 14, time: 9_000_000 })).toBe(false));

it('one that broke off the next call did not come as the last one returned', () => {
  const signal = { sequence: 14, time: 9000, phase: 'interrupting' } as const;
  expect(cameWithReturn({ exit: 10, leftAt: 0 }, signal)).toBe(false);
  expect(cameWithReturn({ exit: 16, leftAt: 0 }, signal)).toBe(true);
});

it('nor did one before which another call was made, which the script leaves out', () =>
  expect(cameWithReturn({ exit: 10, leftAt: 0 }, { sequence: 13, time: 9000 }, true)).toBe(false));
