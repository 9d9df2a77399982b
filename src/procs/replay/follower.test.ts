import { describe, expect, it } from 'vitest';
import { pid, tid } from '../../linux/ids.ts';
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
    this.follower.left(tid(FIRST + task), record, []);
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

  signalled(task: number, signal: number): this {
    this.follower.signalled(tid(FIRST + task), signal);
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
    expect(tree.follower.outOfTurn).toBe(undefined);
    tree.follower.stalled();
    expect(tree.released()).toEqual([3]);
    expect(tree.follower.outOfTurn).toBe(
      'stat("/d") of process 3 came before mkdir("/d") of process 2',
    );
  });
});

describe('threads', () => {
  /** 1 and 2 are of one process. */
  const threads = (): Tree => {
    const script = new Script().thread(1, 2).call(1, 'mkdir', '/a').call(2, 'mkdir', '/b');
    const tree = recorded(script.call(1, 'mkdir', '/c')).enters(1, 'clone');
    expect(tree.released()).toEqual([1]);
    tree.follower.forked(tid(FIRST + 1), tid(FIRST + 2), 'thread');
    return tree;
  };

  it('stay where they are until those who come before have gone on', () => {
    const tree = threads().enters(1, 'mkdir', '/a');
    expect(tree.released()).toEqual([1]);
    expect(tree.leaves(1, 'mkdir', '/a').released()).toEqual([]);
    expect(tree.enters(2, 'mkdir', '/b').released().sort()).toEqual([1, 2]);
    expect(tree.follower.outOfTurn).toBe(undefined);
  });

  it('stay while another is at something that more has to follow before it is their turn', () => {
    const script = new Script().thread(1, 2).call(1, 'mkdir', '/a').call(2, 'mkdir', '/b');
    script.call(2, 'mkdir', '/c').call(1, 'mkdir', '/d');
    const tree = recorded(script).enters(1, 'clone');
    tree.follower.forked(tid(FIRST + 1), tid(FIRST + 2), 'thread');
    tree.enters(1, 'mkdir', '/a').leaves(1, 'mkdir', '/a').released();
    expect(tree.enters(2, 'mkdir', '/b').released()).toEqual([2]);
    expect(tree.leaves(2, 'mkdir', '/b').released()).toEqual([]);
    expect(tree.enters(2, 'mkdir', '/c').released().sort()).toEqual([1, 2]);
  });

  it('go on if nobody else can, without that anything comes out of turn', () => {
    const stuck = threads().enters(1, 'mkdir', '/a').leaves(1, 'mkdir', '/a');
    stuck.released();
    stuck.gone(2).follower.stalled();
    expect(stuck.released()).toEqual([1]);
    expect(stuck.follower.outOfTurn).toBe(undefined);
  });
});

describe('what nobody can foresee', () => {
  const FUTEX_WAIT = [0, 0];
  const FUTEX_WAKE = [0, 1];

  it('is whether a futex is needed', () => {
    const script = new Script().call(1, 'futex', undefined, { args: FUTEX_WAIT });
    const without = recorded(script.call(1, 'mkdir', '/d'));
    expect(without.enters(1, 'mkdir', '/d').released()).toEqual([1]);
    const more = recorded(new Script().call(1, 'mkdir', '/d'));
    expect(more.enters(1, 'futex', undefined, FUTEX_WAKE).released()).toEqual([1]);
    expect(more.leaves(1, 'futex').enters(1, 'mkdir', '/d').released()).toEqual([1]);
    expect(more.follower.divergence).toBe(undefined);
  });

  it('is which one is needed', () => {
    const script = new Script().call(1, 'futex', undefined, { args: FUTEX_WAIT });
    const tree = recorded(script.call(1, 'mkdir', '/d'));
    tree.enters(1, 'futex', undefined, FUTEX_WAKE).leaves(1, 'futex');
    expect(tree.released()).toEqual([1]);
    tree.enters(1, 'futex', undefined, FUTEX_WAIT).leaves(1, 'futex');
    expect(tree.released()).toEqual([1]);
    expect(tree.enters(1, 'mkdir', '/d').follower.divergence).toBe(undefined);
  });
});

describe('a signal', () => {
  const USR1 = 10;
  const SIGCHLD = 17;
  /** 2 signals 1, in a call or not, which then makes a folder. */
  const signalled = (phase: 'interrupting' | 'delivered' = 'interrupting'): Tree => {
    const script = new Script().fork(1, 2).kill(2, 1, USR1).signal(2, 1, USR1, phase);
    return recorded(script.call(1, 'mkdir', '/d')).forks(1, 2);
  };

  it('ends a call that was not recorded, since it had no effect', () => {
    const tree = signalled();
    expect(tree.enters(1, 'wait4').released()).toEqual([1]);
    expect(tree.enters(2, 'kill').leaves(2, 'kill').signalled(1, USR1).released()).toEqual([2, 1]);
    expect(tree.enters(1, 'mkdir', '/d').released()).toEqual([1]);
    expect(tree.follower.divergence).toBe(undefined);
  });

  it('is missing, if such a call ends without it', () => {
    const tree = signalled().enters(1, 'wait4').leaves(1, 'wait4', undefined, 2);
    expect(tree.follower.divergence?.reason).toBe(
      'the end of wait4() instead of the arrival of SIGUSR1',
    );
  });

  it('comes before a call that might wait, if it did not break one off', () => {
    const script = new Script().fork(1, 2).exit(2).signal(2, 1, SIGCHLD).call(1, 'mkdir', '/d');
    const tree = recorded(script.call(1, 'read')).forks(1, 2);
    expect(tree.enters(1, 'read').released()).toEqual([]);
    tree.exits(2).gone(2);
    expect(tree.follower.takeReleased()).toContainEqual({ task: FIRST + 1, rewind: true });
    tree.signalled(1, SIGCHLD).enters(1, 'mkdir', '/d').leaves(1, 'mkdir');
    expect(tree.enters(1, 'read').leaves(1, 'read').follower.divergence).toBe(undefined);
  });

  it('comes before a descriptor is closed, if its handler comes before that', () => {
    const closed = { args: [4] };
    const script = new Script().fork(1, 2).exit(2).signal(2, 1, SIGCHLD).call(1, 'mkdir', '/d');
    const tree = recorded(script.call(1, 'close', undefined, closed)).forks(1, 2);
    expect(tree.enters(1, 'close', undefined, [4]).released()).toEqual([]);
    tree.exits(2).gone(2);
    expect(tree.follower.takeReleased()).toContainEqual({ task: FIRST + 1, rewind: true });
    tree.signalled(1, SIGCHLD).enters(1, 'mkdir', '/d').leaves(1, 'mkdir');
    expect(tree.enters(1, 'close', undefined, [4]).follower.divergence).toBe(undefined);
  });

  it('comes before a call that needs not wait, and what its handler does too', () => {
    const script = new Script().fork(1, 2).exit(2).signal(2, 1, SIGCHLD);
    const tree = recorded(script.call(1, 'mkdir', '/by-handler').call(1, 'mkdir', '/d'));
    tree.forks(1, 2);
    expect(tree.enters(1, 'mkdir', '/d').released()).toEqual([]);
    tree.exits(2).gone(2);
    const released = tree.follower.takeReleased();
    expect(released).toContainEqual({ task: FIRST + 1, rewind: true });
    tree.signalled(1, SIGCHLD).enters(1, 'mkdir', '/by-handler').leaves(1, 'mkdir');
    expect(tree.enters(1, 'mkdir', '/d').follower.divergence).toBe(undefined);
  });

  it('is not what ends a sleep: whoever sleeps goes on by itself, and nobody is let go for that', () => {
    const asleep = { args: [0, 0, 400], result: 0 };
    const script = new Script().fork(1, 2).call(2, 'poll', undefined, asleep).exit(2).wait(1, 2);
    const tree = recorded(script).forks(1, 2).enters(1, 'wait4').enters(2, 'poll');
    expect(tree.follower.patience()).toBe(undefined);
    tree.leaves(2, 'poll').exits(2);
    expect(tree.follower.patience()).toBeGreaterThan(0);
  });
});

it('a wait for one child is never out of turn, unless it would not wait', () => {
  const WNOHANG = 1;
  const outOfTurn = (options: number): string | undefined => {
    const wait = { args: [-1, 0, options], result: 2, reaped: pid(2) };
    const script = new Script().fork(1, 2).exit(2).call(1, 'wait4', undefined, wait);
    const tree = recorded(script).forks(1, 2).enters(1, 'wait4', undefined, wait.args).gone(2);
    tree.follower.stalled();
    expect(tree.released()).toEqual([1]);
    return tree.follower.outOfTurn;
  };
  expect(outOfTurn(0)).toBe(undefined);
  expect(outOfTurn(WNOHANG)).toBe('wait4() of process 1 came before its end of process 2');
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

  /** 2 signals 1 in the middle of a read, which then gets what 3 writes; here, that comes first. */
  const interruptedLate = (): Tree => {
    const script = new Script().makePipe(1, 7).fork(1, 2).fork(1, 3);
    const { sequence } = script.records.at(-1) as { sequence: number };
    const line = { file: pipe(7), args: [3, 0, 1], result: 1, entry: sequence + 0.5 };
    script.kill(2, 1).signal(2, 1).send(3, 7).call(1, 'read', undefined, line);
    const { branches, races } = branchesOf(script);
    const race = races.find(({ parts }) => parts.some(({ verb }) => verb === 'is interrupted by'))!;
    const tree = new Tree(branches.of(race)!).enters(1, 'pipe2').leaves(1, 'pipe2');
    tree.forks(1, 2).forks(1, 3).enters(2, 'kill').enters(1, 'read', undefined, [3, 0, 1]);
    expect(tree.released()).toEqual([]);
    expect(tree.enters(3, 'write').released()).toEqual([3]);
    expect(tree.leaves(3, 'write', undefined, 1).released()).toEqual([1]);
    return tree;
  };

  it('has the call that a signal interrupted end first, and keeps its task there meanwhile', () => {
    const tree = interruptedLate();
    expect(tree.leaves(1, 'read', undefined, 1).released()).toEqual([2]);
    expect(tree.follower.isLive).toBe(false);
    expect(tree.leaves(2, 'kill').released()).toContain(1);
    expect(tree.follower.isThrough).toBe(true);
  });

  it('is given up, if the call that a signal interrupted does not end without it', () => {
    const tree = interruptedLate().gone(3);
    for (let time = 0; time < 100 && !tree.follower.hasGivenUp(); time++) tree.follower.stalled();
    expect(tree.released()).toEqual([]);
    expect(tree.follower.divergence?.reason).toBe(
      'nothing moved any more: read() does not end without the signal',
    );
  });

  it('has one step after the other, also if the first is the end of a process with threads', () => {
    const script = new Script().fork(1, 2).thread(2, 3).fork(1, 4).exit(4).wait(1, 4);
    const { branches, races } = branchesOf(script.exit(3).exit(2).write(1, '/f'));
    const race = races.find(({ kind }) => kind === 'wait-wakeups')!;
    const course = branches.of(race)!;
    expect(course.anchors.map(({ record }) => record.kind)).toEqual(['exit', 'call']);
    const tree = new Tree(course).forks(1, 2).enters(2, 'clone');
    expect(tree.released()).toEqual([2]);
    tree.follower.forked(tid(FIRST + 2), tid(FIRST + 3), 'thread');
    tree.forks(1, 4).exits(4).enters(1, 'wait4', undefined, [-1, 0, 0]);
    expect(tree.exits(2).released()).toEqual([]);
    expect(tree.exits(3).released()).toEqual([3, 2, 1]);
    expect(tree.follower.isLive).toBe(false);
    expect(tree.gone(3).gone(2).leaves(1, 'wait4', undefined, 2).released()).toEqual([4]);
    expect(tree.follower.isThrough).toBe(true);
  });

  it('is not reached if everybody is killed before', () => {
    const { branches, races } = branchesOf(lookAfter());
    const tree = new Tree(branches.of(races[0]!)!).forks(1, 2).enters(2, 'mkdir', '/d');
    tree.follower.abandon();
    expect(tree.released()).toEqual([2]);
    expect(tree.follower.divergence?.reason).toBe('it did not get there in time');
  });
});

it('a racing step stops although it needs no place in the recorded order', () => {
  const { records } = lookAfter().call(1, 'mkdir', '/own').call(1, 'stat', '/own').exit(1);
  const own = records.filter((record) => record.kind === 'call' && record.path === '/own');
  const timeline = buildTimeline(records, '/');
  const branches = new Branches(timeline, buildScript(records, new Set(own as CallRecord[]))!);
  const race = detectRaces(timeline).races.find(({ thing }) => thing.name === '/d')!;
  const tree = new Tree(branches.of(race)!).forks(1, 2).forks(1, 3);
  expect(tree.follower.mayPass(tid(FIRST + 2), syscallNumber('mkdir'), [])).toBe('stops');
  expect(tree.enters(2, 'mkdir', '/d').released()).not.toContain(2);
  expect(tree.follower.mayPass(tid(FIRST + 3), syscallNumber('stat'), [])).toBe('stops');
  expect(tree.enters(3, 'stat', '/d').released()).toContain(3);
  expect(tree.leaves(3, 'stat', '/d').released()).toContain(2);
});
