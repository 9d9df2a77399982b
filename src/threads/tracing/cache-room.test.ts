import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRoom } from './cache-room.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deadheat-room-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function keep(name: string, bytes: number, usedAt: number): void {
  writeFileSync(join(folder, `${name}.blob`), Buffer.alloc(bytes));
  writeFileSync(join(folder, `${name}.json`), '{}');
  utimesSync(join(folder, `${name}.blob`), usedAt, usedAt);
}

it('removes what was not used for the longest time, with its note', () => {
  keep('old', 100, 1000);
  keep('new', 100, 3000);
  keep('middle', 100, 2000);
  makeRoom(folder, 250);
  expect(readdirSync(folder).sort()).toEqual([
    'middle.blob',
    'middle.json',
    'new.blob',
    'new.json',
  ]);
});

it('removes nothing as long as there is room', () => {
  keep('one', 100, 1000);
  keep('two', 150, 2000);
  makeRoom(folder, 250);
  expect(readdirSync(folder)).toHaveLength(4);
});
