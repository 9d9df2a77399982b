import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Part } from './plan.ts';
import type { SandboxPlan } from './sandbox.ts';
import { settleChanges } from './settle.ts';
import { removeTree } from './upper-files.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Layers over empty folders; in the first so many, a file was made. */
function changedLayers(layers: number, changed: number): SandboxPlan {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-settle-'));
  folders.push(folder);
  const changes = join(folder, 'changes');
  const parts = Array.from({ length: layers }, (_, layer): Part => {
    const place = join(folder, `place-${layer}`);
    for (const path of [place, `${changes}/${layer}/upper`, `${changes}/${layer}/work/work`]) {
      mkdirSync(path, { recursive: true });
    }
    if (layer < changed) writeFileSync(`${changes}/${layer}/upper/file`, '');
    return { kind: 'layer', place, layer, restrictions: 0 };
  });
  const rest = { hidden: changes, openWays: [], isUnprivileged: false, shown: [], cwd: folder };
  return { parts, changes, ...rest };
}

/** What is there; the place's own name aside. */
const left = ({ cwd }: SandboxPlan): string[] =>
  readdirSync(cwd, { recursive: true, encoding: 'utf8' }).sort();

it.each([
  [2, 0],
  [2, 1],
  [2, 2],
])(
  'of %d layers, %d of them changed, the same is left whenever it is removed',
  (layers, changed) => {
    const [now, later] = [changedLayers(layers, changed), changedLayers(layers, changed)];
    const options = { keep: false, since: 0n };
    const settled = settleChanges(now, undefined, options);
    expect(settled.layers.map(({ layer }) => layer)).toEqual([0, 1].slice(0, changed));
    const rubbish: string[] = [];
    const remove = (path: string): void => void rubbish.push(path);
    const before = left(later);
    const { layers: found } = settleChanges(later, undefined, { ...options, remove });
    expect(found.map(({ layer }) => layer)).toEqual(settled.layers.map(({ layer }) => layer));
    expect(left(later)).toEqual(before);
    for (const path of rubbish) removeTree(path);
    expect(left(later)).toEqual(left(now));
    expect(left(now).filter((path) => path.includes('work'))).toEqual([]);
  },
);
