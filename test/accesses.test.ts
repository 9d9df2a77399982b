/** What is logged of memory accesses that are known by construction: each location once in each epoch. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ElfFile } from '../src/binary/elf/elf-file.ts';
import { functionIndex } from '../src/binary/elf/symbol-index.ts';
import { imageAddress } from '../src/binary/image-address.ts';
import { clonedRun, compiledForClones, type LoggedAccess } from './harness/cloned-run.ts';

const ELEMENTS = 1000;
const NODES = 50;

/** Accesses that touch [address, address + size), in the order of the log. */
const touching = (accesses: readonly LoggedAccess[], address: number, size: number) =>
  accesses.filter((one) => one.address < address + size && one.address + one.size > address);

describe.each([['-O0'], ['-O1'], ['-O2'], ['-O2 -no-pie'], ['-O2 -fno-omit-frame-pointer']])(
  'accesses of a program compiled with %s',
  (flags) => {
    const traced = () => {
      const program = compiledForClones('accesses.c', ...flags.split(' '));
      const run = clonedRun(program, 'logging');
      expect(run).toMatchObject({ status: 0, stderr: '', skipped: [] });
      const places = new Map<string, number>();
      for (const [, name, address] of run.stdout.matchAll(/^&?(\w+) 0x([0-9a-f]+)$/gm)) {
        places.set(name!, Number.parseInt(address!, 16));
      }
      const functions = functionIndex(new ElfFile(readFileSync(program)));
      const accesses = run.accesses('2').map((one) => ({
        ...one,
        in: one.site < 0 ? '' : (functions.find(imageAddress(one.site))?.name ?? '?'),
      }));
      /** As `write_twice w4`. */
      const of = (name: string, size: number, at = 0): string[] =>
        touching(accesses, places.get(name)! + at, size).map((one) => {
          const { in: place, flags: access, size: bytes } = one as (typeof accesses)[number];
          return `${place} ${access}${bytes}`;
        });
      return { of, accesses, places };
    };

    it('are logged once in each epoch, with their sizes and sites', () => {
      const { of } = traced();
      expect(of('written', 4)).toEqual(['write_twice w4']);
      expect(of('read_first', 4)).toEqual(['read_then_write r4', 'read_then_write w4']);
      expect(of('updated', 4)).toEqual(['update rw4']);
      expect(of('sizes', 16).sort()).toEqual(
        ['w1', 'w2', 'w4', 'w8'].map((access) => `write_sizes ${access}`),
      );
      expect(of('branched', 8)).toEqual(['branch w4']);
    });

    it('of arrays are whole, and not repeated', () => {
      const { of, accesses, places } = traced();
      for (let element = 0; element < ELEMENTS; element++) {
        expect(of('array', 8, 8 * element)).toEqual(['fill_array w8', 'fill_array_again w8']);
      }
      const first = places.get('backwards')!;
      const touched = touching(accesses, first, ELEMENTS).map(({ address }) => address - first);
      const expected = Array.from({ length: 334 }, (_, n) => 999 - 3 * n);
      expect(touched).toEqual(expected);
    });

    it('through pointers, by string instructions and by vectors are there', () => {
      const { of, accesses, places } = traced();
      for (let node = 0; node < NODES; node++) expect(of(`node${node}`, 8)).toEqual(['chase r8']);
      const covered = (name: string, length: number, wanted: string, kind: string): number => {
        const from = places.get(name)!;
        const bytes = new Set<number>();
        for (const one of touching(accesses, from, length)) {
          if (one.kind !== kind || one.flags !== wanted) continue;
          for (let at = one.address; at < one.address + one.size; at++) bytes.add(at - from);
        }
        return bytes.size;
      };
      expect(covered('target', 256, 'w', 'range')).toBe(200);
      expect(covered('copied', 256, 'w', 'range')).toBeGreaterThanOrEqual(200);
      expect(covered('source', 256, 'r', 'range')).toBeGreaterThanOrEqual(200);
      expect(of('source', 256)).toContain('repeat_move r200');
      for (let n = 0; n < 8; n++) {
        expect(of('vectors', 16, 16 * n)).toEqual(['move_vectors r16']);
        expect(of('vectors', 16, 128 + 16 * n)).toEqual(['move_vectors w16']);
      }
    });

    it('of a variable on the stack are there if somebody has its address', () => {
      const { of, accesses } = traced();
      expect(of('escaped_at', 4)).toContain('escape w4');
      if (flags !== '-O0')
        expect(
          accesses.filter((one) => one.in === 'keep' && one.size === 4 && one.flags === 'w'),
        ).toEqual([]);
    });
  },
);
