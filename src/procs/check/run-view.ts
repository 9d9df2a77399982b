/**
 * A run as the user's check sees it, in a folder of its own:
 *
 *   stdout, stderr      what the program and its children wrote there
 *   changes/home/me/x   each file that the run has made or changed, under its own path; what it
 *                       deleted is a character device 0,0 there
 *   layers/0, …         the same files as the sandbox has them
 *
 * The folder only has places for all this: the sandbox shows the files there (file-system.ts), from
 * where they are, whatever the run may have done to the folders that lead to them.
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { isBelow } from '../../linux/sandbox/mount-table.ts';
import type { FurtherFiles } from '../../linux/sandbox/prepare.ts';
import { lookingInto, namesIn, statsOf } from '../../linux/sandbox/upper-files.ts';
import type { RunOutcome } from './outcome.ts';

interface Layer {
  /** '' for the root. */
  readonly place: string;
  readonly upper: string;
  /** Where it is shown. */
  readonly at: string;
}

/** Makes the folder; returns what to show there. */
export function makeRunView(folder: string, run: RunOutcome): FurtherFiles['shown'] {
  const layers = run.layers.map(({ place, upper }, index) => ({
    place: place === '/' ? '' : place,
    upper,
    at: `${folder}/layers/${index}`,
  }));
  mkdirSync(encodeBytes(`${folder}/layers`), { recursive: true });
  for (const { at } of layers) mkdirSync(encodeBytes(at));
  linkChanges(`${folder}/changes`, '', undefined, layers);
  const streams = (['stdout', 'stderr'] as const).map((name) => {
    writeFileSync(encodeBytes(`${folder}/${name}`), '');
    return { from: run[name], at: `${folder}/${name}` };
  });
  return [
    ...streams.filter(({ from }) => existsSync(encodeBytes(from))),
    ...layers.map(({ upper, at }) => ({ from: upper, at })),
  ];
}

/** A link to the layer that holds the path, or a folder of links if other layers are below it. */
function linkChanges(
  link: string,
  path: string,
  around: Layer | undefined,
  layers: readonly Layer[],
): void {
  const own = layers.find(({ place }) => place === path) ?? around;
  const below = layers.filter(({ place }) => place !== path && isBelow(place, path || '/'));
  const inLayer = own && path.slice(own.place.length);
  if (below.length === 0) {
    if (own) symlinkSync(encodeBytes(own.at + inLayer), encodeBytes(link));
    return;
  }
  mkdirSync(encodeBytes(link));
  const changed = own ? namesInFolder(own.upper + inLayer) : [];
  const leading = below.map(({ place }) => place.slice(path.length + 1).split('/')[0]!);
  for (const name of new Set([...changed, ...leading])) {
    const isThere = changed.includes(name);
    linkChanges(`${link}/${name}`, `${path}/${name}`, isThere ? own : undefined, below);
  }
}

const namesInFolder = (folder: string): string[] =>
  statsOf(folder)?.isDirectory() ? lookingInto(folder, () => namesIn(folder)) : [];
