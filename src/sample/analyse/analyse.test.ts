import { describe, expect, it } from 'vitest';
import { LogOp, SampleFlag } from '../../linux/agent-protocol.ts';
import { raceSchema } from '../../report/model.ts';
import type { Analysis } from './analyse.ts';
import {
  analysed,
  HEAP,
  image,
  LOCK,
  OTHER_LOCK,
  one,
  other,
  Program,
  racesOf,
} from './testdata/sampled-story.ts';

describe('races in samples', () => {
  it('are told with both sites, the variable, the locks and how sure they are', () => {
    const analysis = analysed(
      new Program().contend(
        { ...one, locks: [LOCK] },
        { ...other, locks: [OTHER_LOCK, OTHER_LOCK + 1] },
        6,
      ),
    );
    expect(racesOf(analysis)).toEqual(['store ‖ load']);
    const [race] = analysis.races;
    expect(raceSchema.safeParse({ ...race, id: 'R1' }).success).toBe(true);
    expect(race).toMatchObject({
      ...{ kind: 'data-race', verdict: 'predicted', confidence: 'high' },
      object: { type: 'memory', name: 'globals' },
    });
    expect(race!.accesses[0]).toMatchObject({
      threadName: 'T1',
      op: 'store',
      locks: ['0x7f0001000000'],
    });
    expect(race!.accesses[1]).toMatchObject({
      ...{ threadName: 'T2', op: 'load', pid: 1001, thread: 1002 },
      locks: ['0x7f0001000040'],
    });
    expect(analysis.stats.gainOfExtension).toBe(1);
  });

  it('are none with a lock in common, unless both only share it', () => {
    const locked = { ...one, locks: [LOCK] };
    expect(racesOf(analysed(new Program().contend(locked, { ...other, locks: [LOCK] })))).toEqual(
      [],
    );
    const shared = { ...other, locks: [LOCK + 1] };
    expect(racesOf(analysed(new Program().contend(locked, shared)))).toEqual([]);
    const writer = { ...one, locks: [LOCK + 1] };
    expect(racesOf(analysed(new Program().contend(writer, shared)))).toEqual(['store ‖ load']);
  });

  it('need two threads, the same bytes, and a write that is not atomic on both sides', () => {
    expect(racesOf(analysed(new Program().contend({ ...one, site: 'otherLoad' }, other)))).toEqual(
      [],
    );
    expect(racesOf(analysed(new Program().contend(one, { ...other, thread: 1 })))).toEqual([]);
    const next = { ...other, address: image.globals + 4 };
    expect(racesOf(analysed(new Program().contend(one, next)))).toEqual([]);
    const [atomic, alsoAtomic] = [
      { thread: 1, site: 'atomic' } as const,
      { thread: 2, site: 'atomic' } as const,
    ];
    expect(racesOf(analysed(new Program().contend(atomic, alsoAtomic)))).toEqual([]);
    expect(racesOf(analysed(new Program().contend(atomic, other)))).toEqual([]);
    const mixed = analysed(new Program().contend(atomic, { ...other, site: 'store' }));
    expect(mixed.races[0]).toMatchObject({
      confidence: 'low',
      benign: expect.stringMatching(/atomic/),
    });
  });

  it('are none on what is a lock itself, as long as it is one', () => {
    const held = { thread: 2, site: 'load', address: image.globals + 64 } as const;
    const isRace = (...locks: number[]): boolean => {
      const program = new Program().contend(one, { ...other, site: 'otherStore' });
      program.touch({ ...held, locks });
      return racesOf(analysed(program)).length > 0;
    };
    expect(isRace(LOCK)).toBe(true);
    expect(isRace(image.globals + 4)).toBe(true);
    expect(isRace(image.globals)).toBe(false);
    const reused = new Program();
    const at = { address: HEAP + 8 };
    reused.memory(1, HEAP, 64);
    reused.touch({ ...held, locks: [HEAP + 8] });
    reused.memory(1, HEAP, undefined);
    reused.memory(1, HEAP, 64);
    expect(racesOf(analysed(reused.contend({ ...one, ...at }, { ...other, ...at })))).toHaveLength(
      1,
    );
  });

  it('are none where one thread has filled in, or handed on, or cleaned up', () => {
    const program = new Program(3);
    for (const thread of [1, 1, 2, 2, 3, 3]) program.touch({ thread, site: 'store' });
    expect(racesOf(analysed(program))).toEqual([]);
    const returned = new Program();
    for (const thread of [1, 1, 2, 2, 1, 1]) returned.touch({ thread, site: 'store' });
    expect(racesOf(analysed(returned))).toEqual([]);
  });

  it('are one for all elements that the same two places touch, and another for another variable', () => {
    const program = new Program().contend(one, other);
    for (const address of [image.globals + 8, image.globals + 64, image.globals + 72]) {
      program.contend({ ...one, address }, { ...other, address });
    }
    const { races } = analysed(program);
    const names = races.map(({ object }) => object.name.replace(/\+\d+$/, ''));
    expect(names.sort()).toEqual(['globals', 'neighbours']);
  });

  it('are seen of bytes that a loop goes on to, and not of those behind its end', () => {
    const [from, to] = [image.globals + 8, image.globals + 40];
    const filledBeside = (address: number): Analysis => {
      const program = new Program();
      for (let i = 0; i < 4; i++) {
        program.fill(1, from, to);
        program.touch({ ...other, address });
      }
      return analysed(program);
    };
    for (const address of [from, to - 4]) {
      const { races } = filledBeside(address);
      expect(races.map(({ accesses }) => accesses.map(({ site }) => site.function))).toEqual([
        ['fill', 'load'],
      ]);
      // The first and the last are at the ends, where nobody contends.
      expect(races[0]!.evidence).toContain('3 samples of the one and 3 of the other');
    }
    expect(racesOf(filledBeside(to))).toEqual([]);
  });

  it('are none in a field that was handed on, whatever threads do to the one beside it', () => {
    const program = new Program();
    const beside = { address: image.globals + 4 };
    for (const thread of [1, 1, 1, 2, 2, 2]) {
      program.touch({ thread, site: 'store' });
      program.touch({ ...one, ...beside, site: 'otherLoad' });
      program.touch({ ...other, ...beside });
    }
    expect(racesOf(analysed(program))).toEqual([]);
  });

  it('are none where the memory was another block each time', () => {
    const isRace = (free: boolean): boolean => {
      const program = new Program();
      for (let i = 0; i < 4; i++) {
        for (const thread of [1, 2]) {
          if (free) program.memory(thread, HEAP, 64);
          program.touch({ thread, site: 'store', address: HEAP + 8 });
          if (free) program.memory(thread, HEAP, undefined);
        }
      }
      return racesOf(analysed(program)).length > 0;
    };
    expect(isRace(false)).toBe(true);
    expect(isRace(true)).toBe(false);
  });

  it('of the heap are told by the block', () => {
    const program = new Program();
    program.memory(1, HEAP, 64);
    const at = { address: HEAP + 24 };
    const [race] = analysed(program.contend({ ...one, ...at }, { ...other, ...at })).races;
    expect(race!.object).toEqual({ type: 'heap', name: 'heap block of 64 bytes, at +24' });
  });

  it('are none where a semaphore, a barrier or a join comes between', () => {
    const ordered = (release: number, acquire: number): Program => {
      const program = new Program();
      for (let i = 0; i < 4; i++) {
        program.touch(one);
        program.sync(1, release, 0x100);
        program.sync(2, acquire, 0x100);
        program.touch(other);
        program.sync(2, release, 0x200);
        program.sync(1, acquire, 0x200);
      }
      return program;
    };
    for (const [release, acquire] of [
      [LogOp.DH_OP_POST, LogOp.DH_OP_WAIT_DONE],
      [LogOp.DH_OP_ARRIVE, LogOp.DH_OP_LEAVE],
      [LogOp.DH_OP_BROADCAST, LogOp.DH_OP_WAIT_END],
    ] as const) {
      expect(racesOf(analysed(ordered(release, acquire)))).toEqual([]);
    }
    expect(racesOf(analysed(ordered(LogOp.DH_OP_POST, LogOp.DH_OP_WAIT_BEGIN)))).toHaveLength(1);
  });

  it('are one where memory has no name, whatever its address', () => {
    const program = new Program();
    for (const address of [HEAP, HEAP + 8, HEAP + 800]) {
      program.contend({ ...one, address }, { ...other, address });
    }
    expect(racesOf(analysed(program))).toEqual(['store ‖ load']);
  });

  it('are told with who called whom, if the samples know', () => {
    const unknown = 0x1234;
    const stack = [image.placeOf('load') + 1, unknown];
    const analysis = analysed(new Program().contend({ ...one, stack }, other));
    const [store, load] = analysis.races[0]!.accesses;
    expect(store!.stack).toMatchObject([
      { function: 'store' },
      { function: 'load' },
      { address: '0x1234' },
    ]);
    expect(load!.stack).toMatchObject([{ function: 'load' }]);
  });

  it('on stacks are told only if somebody else is there', () => {
    const [own, others] = [{ address: 0x7e00_0000_1000 }, { address: 0x7e00_0010_1000 }];
    expect(
      racesOf(analysed(new Program().contend({ ...one, ...own }, { ...other, ...own }))),
    ).toEqual(['store ‖ load']);
    expect(
      racesOf(analysed(new Program().contend({ ...one, ...own }, { ...other, ...others }))),
    ).toEqual([]);
  });

  it('are never told from samples in the middle of lock operations, nor across what was missed', () => {
    const flags = SampleFlag.DH_SAMPLE_IN_LOCK;
    expect(racesOf(analysed(new Program().contend({ ...one, flags }, other)))).toEqual([]);
    const interrupted = new Program();
    for (let i = 0; i < 4; i++) {
      interrupted.touch(one);
      for (const log of interrupted.logs) log.switched(++interrupted.time, false);
      interrupted.time += 1e9;
      for (const log of interrupted.logs) log.switched(++interrupted.time, true);
      interrupted.touch(other);
    }
    expect(racesOf(analysed(interrupted))).toEqual([]);
  });

  it('are told from hardware records only if they surely lead to where the signal came', () => {
    const flags = SampleFlag.DH_SAMPLE_HARDWARE;
    const isRace = (signalPlace: number): boolean => {
      const program = new Program();
      for (let i = 0; i < 4; i++) {
        program.touch({ ...one, flags });
        program.logs[0]!.sample({ time: ++program.time, place: signalPlace, registers: [] });
        program.touch(other);
      }
      return racesOf(analysed(program)).length > 0;
    };
    // Two bytes behind the store is the return of its function.
    expect(isRace(image.placeOf('store') + 2)).toBe(true);
    expect(isRace(image.placeOf('otherStore'))).toBe(false);
  });
});
