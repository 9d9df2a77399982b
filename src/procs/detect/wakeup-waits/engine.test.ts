import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Script, socket } from '../../testdata/records.ts';
import { buildTimeline } from '../timeline.ts';
import { detectWakeupWaitsRaces } from './engine.ts';

/** `2 or 3 gets what 1 gives` */
function racesIn({ records }: Script): string[] {
  const { races } = detectWakeupWaitsRaces(buildTimeline(records, '/'));
  return races.map(({ kind, parts, occurrences, withoutConsequence }) => {
    const wakeup = parts.find(({ role }) => role === 'wakeup');
    const takers = parts.filter(({ role }) => role !== 'wakeup').map(({ step }) => step.process);
    expect(kind).toBe(wakeup ? 'wakeup-waits' : 'load-store');
    const times = occurrences > 1 ? ` × ${occurrences}` : '';
    const told = `${takers.sort().join(' or ')} gets what ${wakeup?.step.process ?? 'nobody'} gives`;
    return `${told}${times}${withoutConsequence ? ` (${withoutConsequence})` : ''}`;
  });
}

const two = (): Script => new Script().makePipe(1, 7).fork(1, 2).fork(1, 3);

describe('what two processes take from one stream', () => {
  it('may go to either', () => {
    const script = two().send(1, 7, 10).receive(2, 7, 5).receive(3, 7, 5);
    expect(racesIn(script)).toEqual(['2 or 3 gets what 1 gives']);
  });

  it('may come from outside', () => {
    const script = new Script().fork(1, 2).fork(1, 3).receive(2, 9, 5).receive(3, 9, 5);
    expect(racesIn(script)).toEqual(['2 or 3 gets what nobody gives']);
  });

  it('goes to the first if the second had to wait for it', () => {
    const script = two().makePipe(1, 8).send(1, 7, 10).receive(2, 7, 5).send(2, 8).receive(3, 8);
    expect(racesIn(script.receive(3, 7, 5))).toEqual([]);
  });

  it('is no race of the end of the stream, or of different streams', () => {
    const end = two().receive(2, 7, 0).receive(3, 7, 0);
    expect(racesIn(end)).toEqual([]);
    const apart = two().makePipe(1, 8).send(1, 7, 5).send(1, 8, 5).receive(2, 7, 5);
    expect(racesIn(apart.receive(3, 8, 5))).toEqual([]);
  });

  it('is an exchange of tokens if single bytes are taken', () => {
    expect(racesIn(two().send(1, 7, 2).receive(2, 7).receive(3, 7))).toEqual([
      '2 or 3 gets what 1 gives (single bytes are exchanged, as tokens are)',
    ]);
  });

  it('is told once, with a count', () => {
    const script = two().send(1, 7, 40);
    for (let i = 0; i < 4; i++) script.receive(i < 2 ? 2 : 3, 7, 5);
    expect(racesIn(script)).toEqual(['2 or 3 gets what 1 gives × 4']);
  });
});

describe('connections', () => {
  /** `struct sockaddr_in` of a port. */
  const address = `\x02\0${String.fromCharCode(0, 80)}`;
  const server = (): Script =>
    new Script()
      .call(1, 'socket', undefined, { args: [2, 1], result: 3, file2: socket(1) })
      .call(1, 'bind', undefined, { file: socket(1), data: address })
      .call(1, 'listen', undefined, { file: socket(1) })
      .fork(1, 2)
      .fork(1, 3)
      .fork(1, 4)
      .call(4, 'socket', undefined, { args: [2, 1], result: 3, file2: socket(20) })
      .call(4, 'socket', undefined, { args: [2, 1], result: 4, file2: socket(21) });
  const connect = (script: Script, from: number): Script =>
    script.call(4, 'connect', undefined, { file: socket(from), data: address });
  const accept = (script: Script, task: number, as: number): Script =>
    script.call(task, 'accept', undefined, { file: socket(1), file2: socket(as), result: 5 });

  it('may be accepted by either of two servers', () => {
    const script = accept(accept(connect(connect(server(), 20), 21), 2, 30), 3, 31);
    expect(racesIn(script)).toEqual(['2 or 3 gets what 4 gives']);
  });

  it('are no race if one server accepts them all', () => {
    const script = accept(accept(connect(connect(server(), 20), 21), 2, 30), 2, 31);
    expect(racesIn(script)).toEqual([]);
  });
});

describe('against the definition in section 5.3.3', () => {
  type Step = { kind: 'send' | 'take' | 'tell'; who: number; stream: number };
  const programs = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom('send', 'take', 'take', 'tell'),
      who: fc.nat(2),
      stream: fc.nat(1),
    }),
    { maxLength: 25, size: 'max' },
  );

  /** Three processes that send and take messages of two bytes; the third pipe only puts them in order. */
  function play(steps: readonly Step[]) {
    const script = new Script().makePipe(1, 7).makePipe(1, 8).makePipe(1, 9);
    script.fork(1, 2).exec(2, 'p2').fork(1, 3).exec(3, 'p3');
    const nodes: { task: number; takes?: number }[] = [];
    const before: number[][] = [];
    const last = new Map<number, number>();
    const add = (task: number, takes: number | undefined, ...after: number[]): number => {
      const previous = last.get(task);
      before.push(previous === undefined ? after : [previous, ...after]);
      last.set(task, nodes.push(takes === undefined ? { task } : { task, takes }) - 1);
      return nodes.length - 1;
    };
    const queues: number[][] = [[], []];
    for (const { kind, who, stream } of steps) {
      const task = who + 1;
      if (kind === 'send') {
        script.send(task, 7 + stream, 2);
        queues[stream]!.push(add(task, undefined));
      } else if (kind === 'take' && queues[stream]!.length > 0) {
        script.receive(task, 7 + stream, 2);
        add(task, stream, queues[stream]!.shift()!);
      } else if (kind === 'tell') {
        const other = 1 + ((who + 1) % 3);
        script.send(task, 9, 2).receive(other, 9, 2);
        add(other, 2, add(task, undefined));
      }
    }
    return { script, nodes, before };
  }

  /** `2 3`: takers of one stream that nothing orders, by their processes, and how often. */
  function bruteForce({ nodes, before }: ReturnType<typeof play>): string[] {
    const reaches = nodes.map(() => new Set<number>());
    for (const [node, causes] of before.entries()) {
      for (const cause of causes)
        for (const one of [cause, ...reaches[cause]!]) reaches[node]!.add(one);
    }
    const found = new Map<string, number>();
    for (const [b, late] of nodes.entries()) {
      for (const [a, early] of nodes.slice(0, b).entries()) {
        if (late.takes === undefined || late.takes !== early.takes) continue;
        if (late.task === early.task || reaches[b]!.has(a)) continue;
        const key = [early.task, late.task].sort().join(' ');
        found.set(key, (found.get(key) ?? 0) + 1);
      }
    }
    return [...found].map(([takers, count]) => `${takers} × ${count}`).sort();
  }

  it('finds exactly the pairs that could have changed places', () => {
    let racy = 0;
    fc.assert(
      fc.property(programs, (steps) => {
        const played = play(steps);
        const expected = bruteForce(played);
        if (expected.length > 0) racy++;
        const { races } = detectWakeupWaitsRaces(buildTimeline(played.script.records, '/'));
        const found = races.map(({ parts, occurrences }) => {
          const takers = parts.filter(({ role }) => role === 'wait');
          expect(parts).toHaveLength(3);
          return `${takers
            .map(({ step }) => step.process)
            .sort()
            .join(' ')} × ${occurrences}`;
        });
        expect(found.sort()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
    expect(racy).toBeGreaterThan(50);
    expect(racy).toBeLessThan(490);
  });
});
