import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Mount } from './mount-table.ts';
import { planSandbox } from './plan.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-plan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'mounted/inner'), { recursive: true });
mkdirSync(join(folder, 'plain'));
symlinkSync('plain', join(folder, 'link'));
writeFileSync(join(folder, 'file'), '');

const mount = (place: string, type: string, isReadOnly = false): Mount => ({
  place,
  type,
  isReadOnly,
  restrictions: 0,
});
const MOUNTS = [
  mount('/', 'ext4'),
  mount('/dev', 'devtmpfs'),
  mount('/dev/pts', 'devpts'),
  mount('/proc', 'proc'),
  mount('/sys', 'sysfs'),
  mount('/sys/fs/cgroup', 'tmpfs'),
  mount(folder, 'ext4'),
  mount(`${folder}/mounted`, 'ext4'),
  mount(`${folder}/mounted/inner`, 'tmpfs', true),
];
const kinds = (mayCoverMounts: boolean): Record<string, string> =>
  Object.fromEntries(planSandbox(MOUNTS, mayCoverMounts).map(({ place, kind }) => [place, kind]));

it('covers what can be written to, and leaves the rest as it is', () => {
  expect(kinds(true)).toEqual({
    '/': 'layer',
    '/dev': 'same',
    '/proc': 'proc',
    '/sys': 'same',
    [folder]: 'layer',
    [`${folder}/mounted`]: 'layer',
    [`${folder}/mounted/inner`]: 'same',
  });
});

it('puts folders with mounts below together from their entries, if it must', () => {
  expect(kinds(false)).toMatchObject({
    '/': 'folder',
    '/usr': 'layer',
    [folder]: 'folder',
    [`${folder}/plain`]: 'layer',
    [`${folder}/link`]: 'link',
    [`${folder}/file`]: 'same',
    [`${folder}/mounted`]: 'folder',
    [`${folder}/mounted/inner`]: 'same',
  });
});
