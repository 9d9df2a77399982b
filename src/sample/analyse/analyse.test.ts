import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RDI, RSI } from '../../binary/code/general-registers.ts';
import { ChannelAt, LogOp, SampleFlag } from '../../linux/agent-protocol.ts';
import { raceSchema } from '../../report/model.ts';
import { WrittenSamplingLog } from '../collect/testdata/written-sampling-log.ts';
import { type Analysis, analyseSamples } from './analyse.ts';
import { type WrittenSite, writeRun, writtenImage } from './testdata/written-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-analyse-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const image = writtenImage(join(folder, 'images'));
/** Before it, none of the clocks was started. */
const START = 1e12;
const HEAP = 0x7f00_0000_1000;
const [LOCK, OTHER_LOCK] = [0x7f00_0100_0000, 0x7f00_0100_0040];
let runs = 0;

interface Touch {
  readonly thread: number;
  readonly site: WrittenSite;
  readonly address?: number;
  readonly locks?: readonly number[];
  readonly flags?: number;
  /** Return addresses. */
  readonly stack?: readonly number[];
  /** Locks that the thread had taken by then. */
  readonly taken?: number;
}

class Program {
  readonly logs: WrittenSamplingLog[];
  readonly process: number;
  time = START;

  constructor(threads = 2, process = 1) {
    this.process = process;
    this.logs = Array.from({ length: threads }, (_, i) => {
      const log = new WrittenSamplingLog(process, i + 1, `T${i + 1}`);
      log.base(0, 0, 0x7e00_0000_0000 + i * 0x10_0000, 0x7e00_0008_0000 + i * 0x10_0000);
      log.clock(START, START, 0);
      log.switched(START, true);
      return log;
    });
    for (const log of this.logs) log.sync(LogOp.DH_OP_BEGIN, ++this.time, BigInt(log.thread));
  }

  touch(touch: Touch): void {
    const { thread, site, address = image.globals, locks, flags, stack, taken = 0 } = touch;
    this.logs[thread - 1]!.sample({
      ...{ time: ++this.time, place: image.placeOf(site), taken },
      ...{ locks: locks ?? [], flags: flags ?? 0, stack: stack ?? [] },
      registers: Array.from({ length: 16 }, (_, i) => (i === RDI ? address : 0)),
    });
  }

  /** A sample at the beginning of the loop. */
  fill(thread: number, from: number, to: number): void {
    this.logs[thread - 1]!.sample({
      ...{ time: ++this.time, place: image.placeOf('fill'), locks: [], flags: 0, stack: [] },
      registers: Array.from({ length: 16 }, (_, i) => (i === RDI ? from : i === RSI ? to : 0)),
    });
  }

  /** By turns, `times` each. */
  contend(one: Touch, other: Touch, times = 4): this {
    for (let i = 0; i < times; i++) {
      this.touch(one);
      this.touch(other);
    }
    return this;
  }

  sync(thread: number, op: number, object: number, extra = 0): void {
    this.logs[thread - 1]!.sync(op, ++this.time, BigInt(object), extra);
  }

  memory(thread: number, address: number, size: number | undefined): void {
    const log = this.logs[thread - 1]!;
    log.memory(++this.time, [{ address, size }]);
    log.clock(++this.time, this.time);
  }

  save(): string {
    return writeRun(join(folder, `run-${++runs}`), image, this.logs);
  }
}

const analysed = (...programs: readonly Program[]): Analysis =>
  analyseSamples(
    programs.map((program, i) => ({ name: `run ${i}`, folder: program.save() })),
    { symbols: [] },
  );

/** `store ‖ load` of each race. */
const racesOf = ({ races }: Analysis): string[] =>
  races.map(({ accesses }) => accesses.map(({ site }) => site.function).join(' ‖ '));

const one: Touch = { thread: 1, site: 'store' };
const other: Touch = { thread: 2, site: 'load' };

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

  it('are not sure where a lock was taken in between each time, which may have handed it over', () => {
    const told = (takenBetween: (turn: number) => number): Analysis => {
      const program = new Program();
      for (let turn = 0, taken = 1; turn < 8; turn++, taken += takenBetween(turn)) {
        program.touch({ ...one, taken });
        program.touch({ ...other, taken });
      }
      return analysed(program);
    };
    const [handedOver] = told(() => 1).races;
    expect(handedOver).toMatchObject({
      confidence: 'medium',
      evidence: expect.stringMatching(/a lock had been taken in between, .* handed over/),
    });
    // Once is enough: what was touched then cannot have been handed over.
    for (const turns of [() => 0, (turn: number) => (turn === 4 ? 0 : 1)]) {
      const [race] = told(turns).races;
      expect(race).toMatchObject({ confidence: 'high' });
      expect(race!.evidence).not.toMatch(/handed over/);
    }
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

  it('are no surer than low where others change the same bytes atomically', () => {
    const program = new Program(3).contend(one, { ...other, site: 'otherStore' }, 8);
    const pair = ['store ‖ otherStore', undefined] as const;
    const told = ({ races }: Analysis): unknown =>
      races.map((race) => [race.confidence, race.benign]);
    expect([racesOf(analysed(program)), told(analysed(program))]).toEqual([
      [pair[0]],
      [['high', pair[1]]],
    ]);
    program.touch({ thread: 3, site: 'atomic', address: image.globals + 64 });
    expect(told(analysed(program))).toEqual([['high', undefined]]);
    program.touch({ thread: 3, site: 'atomic' });
    expect(told(analysed(program))).toContainEqual([
      'low',
      expect.stringMatching(/atomic instructions elsewhere/),
    ]);
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

  it('are counted by samples and by blocks, however much of a block is gone through', () => {
    const program = new Program();
    for (let i = 0; i < 6; i++) {
      for (const thread of [1, 2]) program.fill(thread, image.globals + 8, image.globals + 40);
      if (i < 4) program.memory(1, HEAP + i * 0x100, 64);
      for (let k = 0; k < 4; k++) {
        for (const thread of [1, 2]) program.fill(thread, HEAP + i * 0x100, HEAP + i * 0x100 + 64);
      }
    }
    const { races } = analysed(program);
    const told = races.map(({ object, evidence }) => [object.type, evidence!.split(',')[0]]);
    // The first and the last of each are at the ends, where nobody contends.
    expect(told).toContainEqual(['heap', '12 samples of the one and 12 of the other in 4 blocks']);
    expect(told).toContainEqual(['memory', '5 samples of the one and 5 of the other']);
  });

  it('are no surer than medium if a side was only followed to, however much it went through', () => {
    const confidenceAt = (address: number): unknown => {
      const program = new Program();
      for (let i = 0; i < 8; i++) {
        program.fill(1, image.globals + 8, image.globals + 40);
        program.touch({ ...other, address });
      }
      return analysed(program).races.map(({ confidence }) => confidence);
    };
    expect(confidenceAt(image.globals + 8)).toEqual(['high']);
    expect(confidenceAt(image.globals + 32)).toEqual(['medium']);
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

  it('are not sure in memory of an allocator that cannot be seen, which is told', () => {
    const own = writtenImage(join(folder, 'own'), 2, { alsoNamed: { malloc: 'load' } });
    const at = (address: number, size?: number): Analysis => {
      const program = new Program();
      if (size !== undefined) program.memory(1, HEAP, size);
      program.contend({ ...one, address }, { ...other, address }, 8);
      const run = writeRun(join(folder, `own-${++runs}`), own, program.logs);
      return analyseSamples([{ name: 'r', folder: run }], { symbols: [] });
    };
    const confidence = ({ races }: Analysis): unknown => races.map((race) => race.confidence);
    expect(at(HEAP).warnings).toEqual([expect.stringMatching(/program-2 has an allocator of its/)]);
    expect(confidence(at(HEAP))).toEqual(['low']);
    expect(confidence(at(HEAP + 64, 1 << 20))).toEqual(['low']);
    expect(confidence(at(own.globals))).toEqual(['high']);
    const { races, warnings } = analysed(
      new Program().contend({ ...one, address: HEAP }, { ...other, address: HEAP }, 8),
    );
    expect([races[0]!.confidence, warnings]).toEqual(['high', []]);
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

  it('are found by putting runs of the same build together, and never those of different builds', () => {
    const [writing, reading] = [new Program(), new Program()];
    for (let i = 0; i < 4; i++) {
      writing.touch(one);
      reading.touch(other);
    }
    expect(racesOf(analysed(writing))).toEqual([]);
    const together = analysed(writing, reading);
    expect(racesOf(together)).toEqual(['store ‖ load']);
    expect(together.races[0]).toMatchObject({ confidence: 'low' });
    const anotherImage = { ...writtenImage(join(folder, 'images'), 1), path: image.path };
    const another = writeRun(join(folder, 'another'), anotherImage, reading.logs);
    const mixed = analyseSamples(
      [
        { name: 'a', folder: writing.save() },
        { name: 'b', folder: another },
      ],
      { symbols: [] },
    );
    expect(racesOf(mixed)).toEqual([]);
    expect(mixed.warnings.join('\n')).toMatch(/left out: .* has the build-id|different builds/);
    const found = analyseSamples([{ name: 'b', folder: another }], {
      symbols: [join(folder, 'images')],
    });
    expect(found.warnings.join('\n')).toMatch(/--symbols/);
  });

  it('are none of two runs where one side comes before the thread of the other is made', () => {
    const isRace = (isMadeBefore: boolean): boolean => {
      const [writing, reading] = [new Program(2), new Program(3)];
      if (isMadeBefore) writing.sync(1, LogOp.DH_OP_FORK, 0, 3);
      for (let i = 0; i < 4; i++) {
        writing.touch(one);
        reading.touch({ ...other, thread: 3 });
      }
      writing.sync(1, LogOp.DH_OP_FORK, 0, 3);
      return racesOf(analysed(writing, reading)).length > 0;
    };
    expect(isRace(true)).toBe(true);
    expect(isRace(false)).toBe(false);
  });

  it('are none of two runs where a thread had waited for another by then, which may have handed it over', () => {
    const isRace = (waits: (reading: Program) => void): boolean => {
      const [writing, reading] = [new Program(), new Program()];
      waits(reading);
      for (let i = 0; i < 4; i++) {
        writing.touch(one);
        reading.touch(other);
      }
      return racesOf(analysed(writing, reading)).length > 0;
    };
    const waitsForNobody = (reading: Program): void =>
      reading.sync(2, LogOp.DH_OP_WAIT_DONE, 0x100);
    const waits = (reading: Program): void => {
      reading.sync(1, LogOp.DH_OP_POST, 0x100);
      reading.sync(2, LogOp.DH_OP_WAIT_DONE, 0x100);
    };
    expect(isRace(waitsForNobody)).toBe(true);
    expect(isRace(waits)).toBe(false);
  });

  it('are told of an image without build-id if its file is old enough, and never of two runs together', () => {
    const nameless = writtenImage(join(folder, 'nameless'), 0, { hasBuildId: false });
    const at = (startedAt: number, ...programs: Program[]): Analysis =>
      analyseSamples(
        programs.map(({ logs }, i) => {
          const run = writeRun(join(folder, `nameless-${++runs}`), nameless, logs);
          return { name: `run ${i}`, folder: run, startedAt };
        }),
        { symbols: [] },
      );
    const [both, writing, reading] = [new Program(), new Program(), new Program()];
    both.contend(one, other);
    for (let i = 0; i < 4; i++) {
      writing.touch(one);
      reading.touch(other);
    }
    const old = at(Date.now() + 60_000, both);
    expect(racesOf(old)).toEqual(['store ‖ load']);
    expect(old.warnings.join()).toMatch(/has no build-id, so that nobody can tell/);
    const newer = at(Date.now() - 60_000, both);
    expect(racesOf(newer)).toEqual([]);
    expect(newer.warnings.join()).toMatch(/left out: .* was written after the run began/);
    expect(racesOf(at(Date.now() + 60_000, writing, reading))).toEqual([]);
  });

  it('are found in what is whole of damaged logs, with a warning', () => {
    const program = new Program().contend(one, other, 8);
    for (const log of program.logs) log.appended = log.words;
    const whole = program.save();
    const path = join(whole, '1-2.log');
    truncateSync(path, readFileSync(path).length - 200);
    const cut = analyseSamples([{ name: 'r', folder: whole }], { symbols: [] });
    expect(cut.warnings).toEqual(['1-2.log ends too early: what happened since then is not known']);
    expect(racesOf(cut)).toEqual(['store ‖ load']);
    writeFileSync(path, 'nonsense');
    const nonsense = analyseSamples([{ name: 'r', folder: whole }], { symbols: [] });
    expect(nonsense.warnings[0]).toMatch(/1-2.log is left out: it is shorter than its header/);
    expect(nonsense.races).toEqual([]);
  });

  it('are not told of a process whose log somebody has taken away, and that it is cut is told', () => {
    const run = new Program(3).contend(one, other, 8).save();
    const at = (logs: Record<string, number>): Analysis =>
      analyseSamples([{ name: 'r', folder: run, logs }], { symbols: [] });
    expect([racesOf(at({ 1: 3 })), at({ 1: 3 }).warnings]).toEqual([['store ‖ load'], []]);
    rmSync(join(run, '1-3.log'));
    expect(at({ 1: 3 }).races).toEqual([]);
    expect(at({ 1: 3 }).warnings).toEqual([
      expect.stringMatching(/^1 of 3 logs of process 1 .* are missing/),
    ]);
    const processes = join(run, 'processes');
    const bytes = readFileSync(processes);
    bytes.writeBigUInt64LE(BigInt(bytes.length), ChannelAt.reserved);
    writeFileSync(processes, bytes);
    expect(at({}).warnings.join()).toMatch(/processes lacks \d+ bytes at its end/);
  });

  it('are not told of a process that lacks the log of a thread: it may have been between the others', () => {
    for (const content of ['nonsense', '', '\0'.repeat(4096)]) {
      const run = new Program(3).contend(one, other, 8).save();
      writeFileSync(join(run, '1-3.log'), content);
      const { races, warnings } = analyseSamples([{ name: 'r', folder: run }], { symbols: [] });
      expect(races).toEqual([]);
      expect(warnings.join()).toMatch(
        /1-3.log is left out: .*; races of its process cannot be told/,
      );
    }
  });
});
