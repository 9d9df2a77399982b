import { describe, expect, it } from 'vitest';
import { tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { Branches } from '../branch/branch.ts';
import { detectRaces } from '../detect/detect.ts';
import { buildTimeline } from '../detect/timeline.ts';
import { callRecord, pipe, Script } from '../testdata/records.ts';
import type { Course } from './course.ts';
import { Follower } from './follower.ts';
import { buildScript } from './script.ts';

/** Numbers that no process of this machine has, since signals would reach it. */
const FIRST = 4_200_000;

/** A tree of tasks that stops where a recorder would stop it; tasks are numbered as in the recording. */
class Tree {
  readonly follower: Follower;

  constructor(course: Course) {
    this.follower = new Follower(course);
    this.follower.begins(tid(FIRST + 1));
  }

  enters(task: number, name: string, path?: string, args: number[] = []): this {
    this.follower.enters(tid(FIRST + task), { number: syscallNumber(name), args, path });
    return this;
  }

  leaves(task: number, name: string, path?: string, result = 0): this {
    const record: CallRecord = callRecord(FIRST + task, name, path, { result });
    this.follower.left(tid(FIRST + task), record);
    return this;
  }

  forks(parent: number, child: number): this {
    this.enters(parent, 'clone');
    expect(this.released()).toContain(parent);
    this.follower.forked(tid(FIRST + parent), tid(FIRST + child), 'fork');
    return this;
  }

  exits(task: number): this {
    this.follower.exits(tid(FIRST + task));
    return this;
  }

  gone(task: number): this {
    this.follower.gone(tid(FIRST + task));
    return this;
  }

  /** Who may go on now. */
  released(): number[] {
    return this.follower.takeReleased().map(({ task }) => task - FIRST);
  }
}

function branchesOf({ records }: Script) {
  const timeline = buildTimeline(records, '/');
  const branches = new Branches(timeline, buildScript(records)!);
  return { branches, races: detectRaces(timeline).races };
}

const recorded = (script: Script): Tree => new Tree(branchesOf(script).branches.recorded);

/** 2 makes a folder, then 3 looks for it. */
const lookAfter = (): Script =>
  new Script().fork(1, 2).fork(1, 3).call(2, 'mkdir', '/d').call(3, 'stat', '/d').exit(2).exit(3);

describe('the recorded order', () => {
  it('is kept, whoever comes first now', () => {
    const tree = recorded(lookAfter()).forks(1, 2).forks(1, 3);
    expect(tree.enters(3, 'stat', '/d').released()).toEqual([]);
    expect(tree.enters(2, 'mkdir', '/d').released()).toEqual([2]);
    expect(tree.leaves(2, 'mkdir', '/d').released()).toEqual([3]);
    expect(tree.leaves(3, 'stat', '/d').follower.isThrough).toBe(false);
    tree.exits(2).gone(2).exits(3).gone(3);
    expect(tree.follower.isThrough).toBe(true);
    expect(tree.follower.divergence).toBe(undefined);
  });

  it('is left if a task does something else, or ends', () => {
    const other = recorded(lookAfter()).forks(1, 2);
    other.enters(2, 'rmdir', '/d');
    expect(other.follower.divergence?.reason).toBe('rmdir("/d") instead of mkdir("/d")');
    expect(other.follower.hasGivenUp()).toBe(true);
    const early = recorded(lookAfter()).forks(1, 2).exits(2);
    expect(early.follower.divergence?.reason).toBe('its end instead of mkdir("/d")');
  });

  it('is explained by the first call that ended otherwise', () => {
    const script = new Script().fork(1, 2).call(2, 'mkdir', '/d').call(2, 'stat', '/d').exit(2);
    const tree = recorded(script).forks(1, 2).enters(2, 'mkdir', '/d');
    tree.leaves(2, 'mkdir', '/d', -17).enters(2, 'rmdir', '/d');
    expect(tree.follower.divergence?.reason).toBe(
      'rmdir("/d") instead of stat("/d"), after mkdir("/d") = -17 instead of 0',
    );
  });

  it('makes a read ask for as much as it got', () => {
    const read = { file: pipe(7), args: [3, 0, 4096], result: 6 };
    const script = new Script().makePipe(1, 7).fork(1, 2).send(2, 7, 6);
    const tree = recorded(script.call(1, 'read', undefined, read));
    tree.enters(1, 'pipe2').leaves(1, 'pipe2').forks(1, 2);
    tree.enters(1, 'read', undefined, [3, 0, 4096]);
    expect(tree.enters(2, 'write').released()).toEqual([2]);
    tree.leaves(2, 'write', undefined, 6);
    const instead = new Map([[2, 6]]);
    expect(tree.follower.takeReleased()).toEqual([{ task: FIRST + 1, instead }]);
  });

  it('is given up where nobody could move otherwise, the earliest step first', () => {
    const tree = recorded(lookAfter()).forks(1, 2).forks(1, 3).enters(3, 'stat', '/d');
    tree.gone(2);
    expect(tree.follower.patience()).toBe(undefined);
    tree.enters(1, 'wait4');
    expect(tree.follower.patience()).toBeGreaterThan(0);
    expect(tree.released()).toEqual([]);
    tree.follower.stalled();
    expect(tree.released()).toEqual([3]);
  });
});

describe('another order', () => {
  it('has the second step first, and then lets everybody go', () => {
    const { branches, races } = branchesOf(lookAfter());
    const race = races.find(({ kind }) => kind === 'load-store')!;
    const tree = new Tree(branches.of(race)!).forks(1, 2).forks(1, 3);
    expect(tree.enters(2, 'mkdir', '/d').released()).toEqual([]);
    expect(tree.enters(3, 'stat', '/d').released()).toEqual([3]);
    expect(tree.leaves(3, 'stat', '/d', -2).released()).toEqual([2]);
    expect(tree.follower.isLive).toBe(false);
    expect(tree.leaves(2, 'mkdir', '/d').follower.isLive).toBe(true);
    expect(tree.follower.isThrough).toBe(true);
    expect(tree.enters(3, 'rmdir', '/anything').released()).toContain(3);
    expect(tree.follower.divergence).toBe(undefined);
  });

  it('lets a read get what there is', () => {
    const script = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3).send(2, 7, 5).send(3, 7, 9);
    const read = { file: pipe(7), args: [3, 0, 4096], result: 5 };
    const { branches, races } = branchesOf(script.call(1, 'read', undefined, read).write(1, '/f'));
    const race = races.find(({ kind }) => kind === 'wait-wakeups')!;
    const tree = new Tree(branches.of(race)!).enters(1, 'pipe2').leaves(1, 'pipe2');
    tree.forks(1, 2).forks(1, 3).enters(2, 'write').enters(1, 'read', undefined, [3, 0, 4096]);
    expect(tree.released()).toEqual([]);
    expect(tree.enters(3, 'write').released()).toEqual([3]);
    tree.leaves(3, 'write', undefined, 9);
    expect(tree.follower.takeReleased()).toEqual([{ task: FIRST + 1 }]);
  });

  it('is not reached if everybody is killed before', () => {
    const { branches, races } = branchesOf(lookAfter());
    const tree = new Tree(branches.of(races[0]!)!).forks(1, 2).enters(2, 'mkdir', '/d');
    tree.follower.abandon();
    expect(tree.released()).toEqual([2]);
    expect(tree.follower.divergence?.reason).toBe('it did not get there in time');
  });
});
