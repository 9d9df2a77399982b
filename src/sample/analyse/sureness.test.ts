/** How sure a race is, and by how much of what was sampled. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Analysis, analyseSamples } from './analyse.ts';
import {
  analysed,
  folder,
  HEAP,
  image,
  newFolder,
  one,
  other,
  Program,
  racesOf,
} from './testdata/sampled-story.ts';
import { writeRun, writtenImage } from './testdata/written-run.ts';

describe('races in samples', () => {
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

  it('are not sure in memory of an allocator that cannot be seen, which is told', () => {
    const own = writtenImage(join(folder, 'own'), 2, { alsoNamed: { malloc: 'load' } });
    const at = (address: number, size?: number): Analysis => {
      const program = new Program();
      if (size !== undefined) program.memory(1, HEAP, size);
      program.contend({ ...one, address }, { ...other, address }, 8);
      const run = writeRun(newFolder('own'), own, program.logs);
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
});
