import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { pipe, Script, socket } from '../../testdata/records.ts';
import { endOf } from '../step.ts';
import { buildTimeline } from '../timeline.ts';
import { detectLoadStoreRaces } from './engine.ts';

/** `/f cat sh`: the path and the programs on both sides, for each root cause. */
function racesIn(records: readonly TraceRecord[], counted = false): string[] {
  const timeline = buildTimeline(records, '/');
  const found = detectLoadStoreRaces(timeline).races.map(({ thing, parts, occurrences }) => {
    const parties = parts.map(({ step, verb }) => {
      const { name } = timeline.tasks.programAt(step.task, endOf(step));
      return counted ? `${name} ${verb}` : name;
    });
    const cause = [thing.name, ...parties.sort()].join(' ');
    return counted ? `${cause} × ${occurrences}` : cause;
  });
  return [...new Set(found)];
}

/** Two children, 2 and 3, each running a program of its own. */
const twoChildren = (): Script => new Script().fork(1, 2).exec(2, 'a').fork(1, 3).exec(3, 'b');
const bytes = { result: 1 };

describe('load-store races', () => {
  it('need two tasks, one thing, and a store', () => {
    expect(racesIn(twoChildren().write(2, '/f').read(3, '/f').records)).toEqual(['/f a b']);
    expect(racesIn(twoChildren().read(2, '/f').read(3, '/f').records)).toEqual([]);
    expect(racesIn(twoChildren().write(2, '/f').read(3, '/g').records)).toEqual([]);
    expect(racesIn(twoChildren().write(2, '/f').read(2, '/f').records)).toEqual([]);
  });

  it('have instances that know what they are about', () => {
    // Folded into one cause; the second one comes the other way round.
    const { records } = twoChildren().write(2, '/f1').read(3, '/f1').read(3, '/f2').write(2, '/f2');
    const [race, ...rest] = detectLoadStoreRaces(buildTimeline(records, '/')).races;
    expect(rest).toEqual([]);
    const instances = [race!.parts, ...(race!.alternatives ?? [])];
    const names = instances.map((parts) => parts.map(({ thing }) => thing?.name));
    expect(names).toHaveLength(2);
    expect(names).toEqual(
      expect.arrayContaining([
        ['/f1', '/f1'],
        ['/f2', '/f2'],
      ]),
    );
  });

  it('do not exist where fork, wait, a pipe or a signal puts things in order', () => {
    const before = new Script().write(1, '/f').fork(1, 2).read(2, '/f');
    expect(racesIn(before.records)).toEqual([]);
    const waited = new Script().fork(1, 2).write(2, '/f').exit(2).wait(1, 2);
    expect(racesIn(waited.read(1, '/f').records)).toEqual([]);
    const piped = twoChildren()
      .write(2, '/f')
      .call(2, 'write', undefined, { ...bytes, file: pipe(7) });
    expect(
      racesIn(piped.call(3, 'read', undefined, { ...bytes, file: pipe(7) }).read(3, '/f').records),
    ).toEqual([]);
    const signalled = twoChildren().write(2, '/f').signal(2, 3);
    expect(racesIn(signalled.read(3, '/f').records)).toEqual([]);
  });

  it('do not exist between the threads of one process, nor with what a vforked child did', () => {
    const threads = new Script().thread(1, 2).write(1, '/f').write(2, '/f');
    expect(racesIn(threads.records)).toEqual([]);
    const vforked = new Script().vfork(1, 2).write(2, '/f').exec(2, 'a');
    expect(racesIn(vforked.read(1, '/f').records)).toEqual([]);
    const late = new Script().thread(1, 2).exit(1).exit(2).thread(1, 3).write(3, '/f').exit(3);
    expect(racesIn(late.records)).toEqual([]);
  });

  it('do not exist after all children are known to have ended, or between the ends of a socket', () => {
    const ended = new Script().fork(1, 2).write(2, '/f').exit(2);
    const noChild = ended.call(1, 'wait4', undefined, { result: -10 }).read(1, '/f');
    expect(racesIn(noChild.records)).toEqual([]);
    const talk = twoChildren()
      .write(2, '/f')
      .call(2, 'sendto', undefined, { ...bytes, file: socket(1) });
    expect(
      racesIn(
        talk.call(3, 'recvfrom', undefined, { ...bytes, file: socket(2) }).read(3, '/f').records,
      ),
    ).toEqual([]);
  });

  it('do not exist under the same lock, taken by oneself or by a child for its parent', () => {
    const lock = (mode = 2) => ({ args: [9, mode], file: { ...pipe(77), mode: 0o100644 } });
    const own = twoChildren().call(2, 'flock', undefined, lock()).write(2, '/f');
    expect(racesIn(own.call(3, 'flock', undefined, lock()).read(3, '/f').records)).toEqual([]);
    const byChild = twoChildren().fork(2, 4).call(4, 'flock', undefined, lock()).exit(4).wait(2, 4);
    byChild.write(2, '/f').exit(2).fork(3, 5).call(5, 'flock', undefined, lock()).exit(5);
    expect(racesIn(byChild.wait(3, 5).read(3, '/f').records)).toEqual([]);
    const unlocked = twoChildren().call(2, 'flock', undefined, lock()).write(2, '/f');
    expect(racesIn(unlocked.call(3, 'flock', undefined, lock(8)).read(3, '/f').records)).toEqual([
      '/f a b',
    ]);
    const record = { args: [9, 7], file: { ...pipe(78), mode: 0o100644 } };
    const byFcntl = twoChildren().call(2, 'fcntl', undefined, record).write(2, '/f');
    expect(racesIn(byFcntl.call(3, 'fcntl', undefined, record).read(3, '/f').records)).toEqual([]);
  });

  it('exist where the order is only apparent', () => {
    const notWaited = new Script().fork(1, 2).exec(2, 'a').write(2, '/f').exit(2);
    expect(racesIn(notWaited.read(1, '/f').records)).toEqual(['/f a root']);
    const otherPipe = twoChildren()
      .write(2, '/f')
      .call(2, 'write', undefined, { ...bytes, file: pipe(7) });
    expect(
      racesIn(
        otherPipe.call(3, 'read', undefined, { ...bytes, file: pipe(8) }).read(3, '/f').records,
      ),
    ).toEqual(['/f a b']);
  });

  it('are ordered by a pipe even if the write ends after the read', () => {
    const { records } = twoChildren()
      .write(2, '/f')
      .call(3, 'read', undefined, { ...bytes, file: pipe(7) })
      .call(2, 'write', undefined, { ...bytes, file: pipe(7) })
      .read(3, '/f');
    // The write into the pipe was entered before the read of it ended.
    const overlapping = records.map((record) =>
      record.kind === 'call' && record.file?.inode === 7 && record.tid === 2
        ? { ...record, entry: record.entry - 1.5 }
        : record,
    );
    expect(racesIn(records)).toEqual(['/f a b']);
    expect(racesIn(overlapping)).toEqual([]);
  });

  it('include directories on the way that come and go', () => {
    const build = twoChildren()
      .call(2, 'mkdir', '/obj')
      .call(3, 'openat', '/obj/x', { result: 3, args: [0, 0, 0o101] });
    expect(racesIn(build.records)).toEqual(['/obj a b']);
    const look = twoChildren().call(2, 'mkdir', '/obj').call(3, 'stat', '/obj/x', { result: -2 });
    expect(racesIn(look.records)).toEqual([]);
  });

  it('are not made by different names in one directory, but by listing it', () => {
    const names = twoChildren().call(2, 'mkdir', '/d/x').call(3, 'unlink', '/d/y');
    expect(racesIn(names.records)).toEqual([]);
    const listed = twoChildren().call(2, 'mkdir', '/d/x').list(3, '/d');
    expect(racesIn(listed.records)).toEqual(['/d a b']);
  });

  it('are not made by two who create or empty a file whichever way, but by one who looks', () => {
    const create = { args: [-100, 0, 0o1101], result: 3 };
    const both = twoChildren().call(2, 'openat', '/lock', { ...create, created: true });
    expect(racesIn(both.call(3, 'openat', '/lock', create).records)).toEqual([]);
    const emptied = twoChildren()
      .call(2, 'openat', '/lock', create)
      .call(3, 'openat', '/lock', create);
    expect(racesIn(emptied.records)).toEqual([]);
    const looked = twoChildren().call(2, 'openat', '/lock', { ...create, created: true });
    expect(racesIn(looked.call(3, 'stat', '/lock').records)).toEqual(['/lock a b']);
    const exclusive = { ...create, args: [-100, 0, 0o301] };
    const alone = twoChildren().call(2, 'openat', '/lock', { ...exclusive, created: true });
    expect(
      racesIn(alone.call(3, 'openat', '/lock', { ...exclusive, result: -17 }).records),
    ).toEqual(['/lock a b']);
    const filled = twoChildren().write(2, '/log').call(3, 'openat', '/log', create);
    expect(racesIn(filled.records)).toEqual(['/log a b']);
  });

  it('are not made by replacing a file that others read, unless they replace it too', () => {
    const known = (): Script =>
      new Script().call(1, 'stat', '/f').fork(1, 2).exec(2, 'a').fork(1, 3).exec(3, 'b');
    const replace = (script: Script, task: number): Script =>
      script.call(task, 'rename', `/f.${task}`, { path2: '/f' });
    const opened = { result: 3 };
    const reader = replace(known(), 2).call(3, 'openat', '/f', opened);
    expect(racesIn(reader.records)).toEqual([]);
    const rival = replace(replace(known(), 2).call(3, 'openat', '/f', opened), 3);
    expect(racesIn(rival.call(3, 'openat', '/f', opened).records, true)).toEqual([
      '/f a replaces b looks up × 1',
      '/f a replaces b replaces × 1',
    ]);
    const another = replace(replace(known(), 2).call(3, 'openat', '/g', opened), 3);
    expect(racesIn(another.records, true)).toEqual(['/f a replaces b replaces × 1']);
  });

  it('are told once for each root cause, with the closest pair and a count', () => {
    const script = twoChildren();
    for (let i = 0; i < 5; i++) script.write(2, '/f').read(3, '/f');
    const { races } = detectLoadStoreRaces(buildTimeline(script.records, '/'));
    expect(races).toHaveLength(1);
    expect(races[0]?.occurrences).toBe(25);
    const [a, b] = races[0]!.parts.map(({ step }) => endOf(step));
    expect(b! - a!).toBe(2);
  });
});

describe('against brute force', () => {
  type Step = {
    kind: 'fork' | 'access' | 'end' | 'send' | 'receive';
    who: number;
    path: number;
    store: boolean;
    waits: boolean;
    from: number;
    length: number;
  };
  const steps = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom('fork', 'access', 'access', 'access', 'end', 'send', 'receive'),
      who: fc.nat(20),
      path: fc.nat(2),
      store: fc.boolean(),
      waits: fc.boolean(),
      from: fc.nat(4),
      length: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 30, size: 'max' },
  );

  interface Node {
    task: number;
    path?: string;
    store?: boolean;
    from?: number;
    to?: number;
  }

  /** Plays the steps, as records and as a plain graph whose reachability is the order. */
  function play(script: readonly Step[]) {
    const recording = new Script().makePipe(1, 7);
    const nodes: Node[] = [];
    const before: number[][] = [];
    const lastOf = new Map<number, number>();
    const parentOf = new Map<number, number>();
    const alive = [1];
    /** For each byte in the pipe, who wrote it. */
    const inPipe: number[] = [];
    const add = (task: number, after: number[], access: Omit<Node, 'task'> = {}): number => {
      const previous = lastOf.get(task);
      const node = nodes.push({ task, ...access }) - 1;
      before.push(previous === undefined ? after : [previous, ...after]);
      lastOf.set(task, node);
      return node;
    };
    add(1, []);
    let next = 2;
    for (const { kind, who, path, store, waits, from, length } of script) {
      const task = alive[who % alive.length]!;
      if (kind === 'fork') {
        const child = next++;
        recording.fork(task, child).exec(child, `p${child}`);
        add(child, [add(task, [])]);
        parentOf.set(child, task);
        alive.push(child);
      } else if (kind === 'access') {
        const name = `/${'abc'[path]}`;
        if (store) recording.write(task, name, from, length);
        else recording.read(task, name, from, length);
        add(task, [], { path: name, store, from, to: from + length });
      } else if (kind === 'send') {
        recording.send(task, 7, length);
        const node = add(task, []);
        inPipe.push(...Array.from({ length }, () => node));
      } else if (kind === 'receive') {
        const taken = inPipe.splice(0, length);
        if (taken.length === 0) continue;
        recording.receive(task, 7, taken.length);
        add(task, taken);
      } else if (task !== 1 && alive.length > 1) {
        recording.exit(task);
        const end = add(task, []);
        alive.splice(alive.indexOf(task), 1);
        const parent = parentOf.get(task)!;
        if (waits && alive.includes(parent)) {
          recording.wait(parent, task);
          add(parent, [end]);
        }
      }
    }
    return { records: recording.records, nodes, before };
  }

  const overlapping = (a: Node, b: Node): boolean => a.from! < b.to! && b.from! < a.to!;

  /** `/a p2 reads root writes × 3`: each root cause with its number of instances. */
  function bruteForce({ nodes, before }: ReturnType<typeof play>): string[] {
    const reaches = nodes.map(() => new Set<number>());
    for (const [node, causes] of before.entries()) {
      for (const cause of causes) {
        reaches[node]!.add(cause);
        for (const earlier of reaches[cause]!) reaches[node]!.add(earlier);
      }
    }
    const found = new Map<string, number>();
    for (const [b, late] of nodes.entries()) {
      for (const [a, early] of nodes.slice(0, b).entries()) {
        const isSame = late.path !== undefined && late.path === early.path;
        const isConflict = isSame && overlapping(early, late) && (late.store || early.store);
        if (!isConflict || late.task === early.task || reaches[b]!.has(a)) continue;
        const parties = [early, late].map(
          ({ task, store }) => `${task === 1 ? 'root' : `p${task}`} ${store ? 'writes' : 'reads'}`,
        );
        const cause = [late.path, ...parties.sort()].join(' ');
        found.set(cause, (found.get(cause) ?? 0) + 1);
      }
    }
    return [...found].map(([cause, count]) => `${cause} × ${count}`).sort();
  }

  it('finds exactly the pairs that no path orders', () => {
    let racy = 0;
    fc.assert(
      fc.property(steps, (script) => {
        const played = play(script);
        const expected = bruteForce(played);
        if (expected.length > 0) racy++;
        expect(racesIn(played.records, true).sort()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
    // The generator would prove nothing if it made no races, or nothing but races.
    expect(racy).toBeGreaterThan(100);
    expect(racy).toBeLessThan(495);
  });
});
