/** Runs that are put together, and runs that are not whole. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChannelAt, LogOp } from '../../linux/agent-protocol.ts';
import { type Analysis, analyseSamples } from './analyse.ts';
import {
  analysed,
  folder,
  image,
  newFolder,
  one,
  other,
  Program,
  racesOf,
} from './testdata/sampled-story.ts';
import { writeRun, writtenImage } from './testdata/written-run.ts';

describe('races in samples', () => {
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
          const run = writeRun(newFolder('nameless'), nameless, logs);
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
