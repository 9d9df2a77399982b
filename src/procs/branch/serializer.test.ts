import { describe, expect, it } from 'vitest';
import { tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { Serializer } from './serializer.ts';

const FIRST = { path: [0], withDescendants: true };
const SECOND = { path: [1], withDescendants: true };
const MKDIR = { number: syscallNumber('mkdir'), args: [] };

/** A command, 1, that has started 2 and then 3. */
function family(first = FIRST, second = SECOND): Serializer {
  const serializer = new Serializer(first, second);
  serializer.begins(tid(1));
  serializer.forked(tid(1), tid(2), 'fork');
  serializer.forked(tid(1), tid(3), 'fork');
  return serializer;
}

const released = (serializer: Serializer): number[] =>
  serializer.takeReleased().map(({ task }) => task);

describe('one unit after the other', () => {
  it('holds the second until the first is gone', () => {
    const serializer = family();
    serializer.enters(tid(3), MKDIR);
    serializer.enters(tid(2), MKDIR);
    serializer.enters(tid(1), MKDIR);
    expect(released(serializer)).toEqual([2, 1]);
    serializer.left(tid(2));
    serializer.exits(tid(2));
    expect(released(serializer)).toEqual([2]);
    serializer.gone(tid(2));
    expect(released(serializer)).toEqual([3]);
    serializer.left(tid(3));
    serializer.enters(tid(3), MKDIR);
    expect(released(serializer)).toEqual([3]);
  });

  it('is over only when the descendants of the first are gone, too', () => {
    const serializer = family();
    serializer.forked(tid(2), tid(4), 'fork');
    serializer.enters(tid(3), MKDIR);
    serializer.gone(tid(2));
    expect(released(serializer)).toEqual([]);
    serializer.gone(tid(4));
    expect(released(serializer)).toEqual([3]);
  });

  it('holds the descendants of the second', () => {
    const serializer = family();
    serializer.forked(tid(3), tid(4), 'fork');
    serializer.enters(tid(4), MKDIR);
    expect(released(serializer)).toEqual([]);
  });

  it('takes threads for their process, and counts children whoever starts them', () => {
    const serializer = new Serializer(FIRST, SECOND);
    serializer.begins(tid(1));
    serializer.forked(tid(1), tid(9), 'thread');
    serializer.forked(tid(9), tid(2), 'fork');
    serializer.forked(tid(1), tid(3), 'fork');
    serializer.forked(tid(3), tid(4), 'thread');
    for (const task of [1, 9, 2, 3, 4]) serializer.enters(tid(task), MKDIR);
    expect(released(serializer)).toEqual([1, 9, 2]);
  });

  it('holds a process alone, and not its children, if they are not meant', () => {
    const serializer = family(FIRST, { path: [], withDescendants: false });
    for (const task of [1, 2, 3]) serializer.enters(tid(task), MKDIR);
    expect(released(serializer)).toEqual([2, 3]);
  });

  it('does not hold a child for which its parent stands still, until it runs a program', () => {
    const serializer = new Serializer(FIRST, SECOND);
    serializer.begins(tid(1));
    serializer.forked(tid(1), tid(2), 'fork');
    serializer.forked(tid(1), tid(3), 'vfork');
    serializer.enters(tid(3), MKDIR);
    expect(released(serializer)).toEqual([3]);
    serializer.execed(tid(3));
    serializer.enters(tid(3), MKDIR);
    expect(released(serializer)).toEqual([]);
  });

  it('ends when the first waits for the second', () => {
    const serializer = family();
    serializer.enters(tid(3), MKDIR);
    serializer.enters(tid(1), MKDIR);
    expect(serializer.patience()).toBe(undefined);
    serializer.enters(tid(2), MKDIR);
    expect(serializer.patience()).toBeGreaterThan(0);
    released(serializer);
    serializer.stalled();
    expect(released(serializer)).toEqual([3]);
    expect(serializer.patience()).toBe(undefined);
  });

  it('goes from one to the next of several, and lets only the next one go if it has to', () => {
    const [one, two, three] = [0, 1, 2].map((child) => ({ path: [child], withDescendants: true }));
    const serializer = new Serializer(three!, one!, two!);
    serializer.begins(tid(1));
    for (const child of [2, 3]) serializer.forked(tid(1), tid(child), 'fork');
    for (const task of [1, 2, 3]) serializer.enters(tid(task), MKDIR);
    expect(released(serializer)).toEqual([1]);
    // The third is not started before one of the others is gone.
    serializer.stalled();
    expect(released(serializer)).toEqual([2]);
    serializer.gone(tid(2));
    serializer.forked(tid(1), tid(4), 'fork');
    expect(released(serializer)).toEqual([]);
    serializer.gone(tid(4));
    expect(released(serializer)).toEqual([3]);
  });

  it('delivers signals to whomever they are for', () => {
    const serializer = family();
    serializer.signalled(tid(3), 10);
    expect(serializer.takeReleased()).toEqual([{ task: 3, signal: 10 }]);
    expect(serializer.left(tid(3))).toBe(true);
    expect(serializer.hasGivenUp()).toBe(false);
  });

  it('holds nobody any more once everybody is being killed', () => {
    const serializer = family();
    serializer.exits(tid(3));
    expect(released(serializer)).toEqual([]);
    serializer.abandon();
    expect(released(serializer)).toEqual([3]);
  });

  it('knows a thread that takes its leader’s number by running a program', () => {
    const serializer = family();
    serializer.forked(tid(3), tid(4), 'thread');
    serializer.renamed(tid(4), tid(3));
    serializer.enters(tid(3), MKDIR);
    expect(released(serializer)).toEqual([]);
  });
});
