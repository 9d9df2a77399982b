import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Script, socket } from '../../testdata/records.ts';
import { endOf } from '../step.ts';
import { buildTimeline } from '../timeline.ts';
import { detectWaitWakeupsRaces } from './engine.ts';

/** `1 waits: 2 or 3`, with why it makes no difference. */
function racesIn({ records }: Script): string[] {
  const { races } = detectWaitWakeupsRaces(buildTimeline(records, '/'));
  return races.map(({ parts, occurrences, withoutConsequence }) => {
    const wait = parts.find(({ role }) => role === 'wait');
    const wakers = parts.filter(({ role }) => role !== 'wait').map(({ step }) => step.process);
    const told = `${wait?.step.process ?? 'nobody'}: ${wakers.sort().join(' or ')}`;
    const times = occurrences > 1 ? ` × ${occurrences}` : '';
    return `${told}${times}${withoutConsequence ? ` (${withoutConsequence})` : ''}`;
  });
}

const NOTHING_ELSE = 'the waiting process does nothing else before it has collected both';

describe('a wait for any child', () => {
  const two = (): Script => new Script().fork(1, 2).fork(1, 3);

  it('may take either of two, whichever came first', () => {
    expect(racesIn(two().exit(2).exit(3).wait(1, 2).write(1, '/f'))).toEqual(['1: 2 or 3']);
    expect(racesIn(two().exit(2).wait(1, 2).write(1, '/f').exit(3))).toEqual(['1: 2 or 3']);
  });

  it('is no race if it names the child, or if the other was made, or had to end, afterwards', () => {
    expect(racesIn(two().exit(2).exit(3).wait(1, 2, 2).write(1, '/f'))).toEqual([]);
    const later = new Script().fork(1, 2).exit(2).wait(1, 2).fork(1, 3).exit(3).wait(1, 3);
    expect(racesIn(later.write(1, '/f'))).toEqual([]);
    const told = two().makePipe(1, 7).exit(2).wait(1, 2).send(1, 7).receive(3, 7).exit(3);
    expect(racesIn(told)).toEqual([]);
  });

  it('is no race of children that somebody else waits for, or that nobody ended', () => {
    const grandchild = new Script().fork(1, 2).fork(2, 3).exit(2).exit(3).wait(1, 2);
    expect(racesIn(grandchild.write(1, '/f'))).toEqual([]);
    expect(racesIn(two().exit(2).wait(1, 2).write(1, '/f'))).toEqual([]);
  });

  it('makes no difference if both are taken before anything else is done', () => {
    const both = two().exit(2).exit(3).wait(1, 2).wait(1, 3).write(1, '/f');
    expect(racesIn(both)).toEqual([`1: 2 or 3 (${NOTHING_ELSE})`]);
    const between = two().exit(2).exit(3).wait(1, 2).write(1, '/f').wait(1, 3);
    expect(racesIn(between)).toEqual(['1: 2 or 3']);
    expect(racesIn(two().exit(2).exit(3).wait(1, 2).read(1, '/f'))).toEqual([
      `1: 2 or 3 (${NOTHING_ELSE})`,
    ]);
  });

  it('makes no difference if both ran programs that ended alike, but does if they did not', () => {
    const programs = (): Script => two().exec(2, 'cc').exec(3, 'cc');
    const alike = programs().exit(2).exit(3).wait(1, 2).write(1, '/f').wait(1, 3);
    expect(racesIn(alike)).toEqual([
      '1: 2 or 3 (both children ran programs of their own and ended alike)',
    ]);
    const unlike = programs().exit(2).exit(3, 1).wait(1, 2).write(1, '/f').wait(1, 3);
    expect(racesIn(unlike)).toEqual(['1: 2 or 3']);
  });

  it('is told once for all waits of one program for the same programs, those that matter first', () => {
    const script = new Script();
    for (let child = 2; child < 8; child += 2) {
      script
        .fork(1, child)
        .fork(1, child + 1)
        .exit(child)
        .exit(child + 1)
        .wait(1, child);
      if (child === 4) script.write(1, '/f');
      script.wait(1, child + 1);
    }
    expect(racesIn(script)).toEqual(['1: 4 or 5 × 3']);
  });

  it('tells lives apart that have the same number', () => {
    const again = new Script().fork(1, 2).exit(2).wait(1, 2).fork(1, 2).fork(1, 3).exit(3);
    expect(racesIn(again.exit(2).wait(1, 3).write(1, '/f'))).toEqual(['1: 2 or 3']);
  });
});

describe('a stream that two write into', () => {
  const two = (): Script => new Script().makePipe(1, 7).fork(1, 2).fork(1, 3);

  it('is a race for whose bytes come first, with the one who reads them', () => {
    expect(racesIn(two().send(2, 7, 5).send(3, 7, 5).receive(1, 7, 5))).toEqual(['1: 2 or 3']);
  });

  it('is output if nobody reads it', () => {
    const { records } = two().send(2, 7, 5).send(3, 7, 5);
    const { races } = detectWaitWakeupsRaces(buildTimeline(records, '/'));
    expect(races.map(({ kind, isOutput }) => ({ kind, isOutput }))).toEqual([
      { kind: 'load-store', isOutput: true },
    ]);
  });

  it('is an exchange of tokens if single bytes are written', () => {
    expect(racesIn(two().send(2, 7).send(3, 7).receive(1, 7))).toEqual([
      '1: 2 or 3 (single bytes are exchanged, as tokens are)',
    ]);
  });

  it('is none if the writers take turns, or write into different streams', () => {
    const turns = two().send(2, 7, 5).exit(2).wait(1, 2, 2).send(1, 7, 5);
    expect(racesIn(turns)).toEqual([]);
    expect(racesIn(two().makePipe(1, 8).send(2, 7, 5).send(3, 8, 5))).toEqual([]);
  });

  it('is none of two connected sockets', () => {
    const details = { args: [1, 1], file: socket(1), file2: socket(2) };
    const script = new Script().call(1, 'socketpair', undefined, details).fork(1, 2);
    const sent = { result: 5, args: [0, 0, 5] };
    script.call(1, 'sendto', undefined, { ...sent, file: socket(1) });
    expect(racesIn(script.call(2, 'sendto', undefined, { ...sent, file: socket(2) }))).toEqual([]);
  });
});

describe('against the definition in section 5.3.2', () => {
  type Step = { kind: 'fork' | 'exit' | 'wait' | 'send'; who: number; isWildcard: boolean };
  const programs = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom('fork', 'fork', 'exit', 'wait', 'wait', 'send'),
      who: fc.oneof(fc.constant(0), fc.nat(20)),
      isWildcard: fc.boolean(),
    }),
    { minLength: 6, maxLength: 40, size: 'max' },
  );

  interface Node {
    task: number;
    /** An end, and whose child that was; or a wait and whether for any. */
    end?: number;
    takes?: number;
    isWildcard?: boolean;
  }

  function play(steps: readonly Step[]) {
    const script = new Script().makePipe(1, 7);
    const nodes: Node[] = [{ task: 1 }];
    const before: number[][] = [[]];
    const last = new Map([[1, 0]]);
    const add = (node: Node, ...after: number[]): number => {
      before.push([...[last.get(node.task)].filter((one) => one !== undefined), ...after]);
      last.set(node.task, nodes.push(node) - 1);
      return nodes.length - 1;
    };
    const parents = new Map<number, number>();
    const ends = new Map<number, number>();
    const alive = [1];
    let next = 2;
    for (const { kind, who, isWildcard } of steps) {
      const isEnd = kind === 'exit' && alive.length > 1;
      const task = isEnd ? alive[1 + (who % (alive.length - 1))]! : alive[who % alive.length]!;
      if (kind === 'fork') {
        const child = next++;
        // Programs of their own keep each wait's race apart from the others.
        script.fork(task, child).exec(child, `p${child}`);
        parents.set(child, task);
        const fork = add({ task });
        alive.push(child);
        last.set(child, fork);
      } else if (isEnd) {
        script.exit(task);
        ends.set(task, add({ task, end: parents.get(task)! }));
        alive.splice(alive.indexOf(task), 1);
      } else if (kind === 'wait') {
        const zombie = [...ends.keys()].find((child) => parents.get(child) === task);
        if (zombie === undefined) continue;
        script.wait(task, zombie, isWildcard ? -1 : zombie);
        add({ task, takes: zombie, isWildcard }, ends.get(zombie)!);
        ends.delete(zombie);
      } else if (kind === 'send') {
        const other = alive[(who + 1) % alive.length]!;
        if (other === task) continue;
        script.send(task, 7).receive(other, 7);
        add({ task: other }, add({ task }));
      }
    }
    return { script, nodes, before };
  }

  /** The waits with which two ends form a race: it did not happen before either of them. */
  function bruteForce({ nodes, before }: ReturnType<typeof play>): number[] {
    const reaches = nodes.map(() => new Set<number>());
    for (const [node, causes] of before.entries()) {
      for (const cause of causes)
        for (const one of [cause, ...reaches[cause]!]) reaches[node]!.add(one);
    }
    const collected = new Set<number>();
    const ambiguous: number[] = [];
    for (const [wait, { task, takes, isWildcard }] of nodes.entries()) {
      if (takes === undefined) continue;
      collected.add(takes);
      const others = nodes.filter(
        (node, end) => node.end === task && !collected.has(node.task) && !reaches[end]!.has(wait),
      );
      if (isWildcard && others.length > 0) ambiguous.push(takes);
    }
    return ambiguous.sort((a, b) => a - b);
  }

  it('finds exactly the waits that could have taken another child', () => {
    let racy = 0;
    fc.assert(
      fc.property(programs, (steps) => {
        const played = play(steps);
        const expected = bruteForce(played);
        if (expected.length > 0) racy++;
        const timeline = buildTimeline(played.script.records, '/');
        const { races } = detectWaitWakeupsRaces(timeline);
        const found = races
          .filter(({ type }) => type === 'process')
          .flatMap(({ parts, occurrences }) => {
            expect(parts.map(({ step }) => endOf(step))).toEqual(
              parts.map(({ step }) => endOf(step)).sort((a, b) => a - b),
            );
            const { record } = parts.find(({ role }) => role === 'wait')!.step;
            expect(occurrences).toBe(1);
            return record.kind === 'call' ? [record.reaped as number] : [];
          });
        expect(found.sort((a, b) => a - b)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
    expect(racy).toBeGreaterThan(50);
    expect(racy).toBeLessThan(480);
  });
});
