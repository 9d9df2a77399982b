import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { decodeBytes, encodeBytes, printable } from '../../src/base/bytes.ts';
import { attribute, attributeNames } from '../../src/linux/extended-attributes.ts';

/** All there is to know about the files in a folder, but for run directories; for comparing two. */
export function folderContents(folder: string, below = ''): string[] {
  const here = readdirSync(encodeBytes(folder + below), { encoding: 'buffer' }).map(decodeBytes);
  const names = here.filter((name) => name !== '.deadheat').sort();
  return names.flatMap((name) => {
    const path = `${below}/${name}`;
    const isFolder = lstatSync(encodeBytes(folder + path)).isDirectory();
    return [describe(folder, path), ...(isFolder ? folderContents(folder, path) : [])];
  });
}

function describe(folder: string, below: string): string {
  const path = encodeBytes(folder + below);
  const stats = lstatSync(path);
  const { mode, uid, gid, nlink } = stats;
  const attributes = attributeNames(folder + below).map(
    (name) => `${name}=${attribute(folder + below, name)}`,
  );
  const contents = stats.isFile()
    ? readFileSync(path, 'latin1')
    : stats.isSymbolicLink()
      ? readlinkSync(path)
      : '';
  // Only times that a program has set can be compared.
  const time = stats.mtime.getFullYear() < 2020 ? stats.mtime.toISOString() : '';
  const facts = [printable(below), mode.toString(8), uid, gid, nlink, time, ...attributes.sort()];
  return [...facts, contents].join(' ');
}
