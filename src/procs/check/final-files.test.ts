import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differingPaths, FinalFiles, sameFiles } from './final-files.ts';
import { markDeleted, markReplaced, Place, type Run } from './testdata/layers.ts';

const filesOf = ({ layers }: Run): FinalFiles => new FinalFiles(layers);

function differing(place: Place, a: Run, b: Run): string[] {
  const found = differingPaths(filesOf(a), filesOf(b));
  expect(differingPaths(filesOf(b), filesOf(a))).toEqual(found);
  expect(sameFiles(filesOf(a), filesOf(b))).toBe(found.length === 0);
  return found.map((path) => path.slice(place.real.length + 1));
}

describe('files at the end of two runs', () => {
  it('differ by their contents, even if they have the same size', () => {
    const place = new Place();
    const one = place.run({ same: 'x', size: 'x', contents: 'x', 'deep/er': '1', new: '' });
    const other = place.run({ same: 'x', size: 'xx', contents: 'y', 'deep/er': '2' });
    expect(differing(place, one, other)).toEqual(['contents', 'deep/er', 'new', 'size']);
  });

  it('are as below where a run has not changed them', () => {
    const place = new Place({ 'a/kept': 'old', 'a/written': 'old' });
    const one = place.run({ 'a/kept': 'old', 'a/written': 'new' });
    expect(differing(place, one, place.run())).toEqual(['a/written']);
  });

  it('differ by mode, kind and the target of a link', () => {
    const place = new Place();
    const [one, other] = [place.run({ mode: '' }), place.run({ mode: '', kind: '' })];
    chmodSync(join(one.upper, 'mode'), 0o600);
    chmodSync(join(other.upper, 'mode'), 0o644);
    mkdirSync(join(one.upper, 'kind'));
    symlinkSync('here', join(one.upper, 'link'));
    symlinkSync('there', join(other.upper, 'link'));
    expect(differing(place, one, other)).toEqual(['kind', 'link', 'mode']);
  });

  it('may be deleted, together with the folder that they are in', () => {
    const place = new Place({ file: '', 'folder/in': '' });
    const one = place.run();
    markDeleted(one, 'file');
    markDeleted(one, 'folder');
    expect(differing(place, one, place.run())).toEqual(['file', 'folder']);
    expect(differing(place, one, place.run({ 'folder/in': 'new' }))).toEqual([
      'file',
      'folder',
      'folder/in',
    ]);
  });

  it('may be in a folder where there was a file', () => {
    const place = new Place({ was: 'a file' });
    const one = place.run({ 'was/in': '' });
    expect(differing(place, one, place.run())).toEqual(['was', 'was/in']);
    expect(differing(place, one, place.run({ was: 'another' }))).toEqual(['was', 'was/in']);
  });

  it('may be hidden by a folder that has taken the place of another', () => {
    const place = new Place({ 'out/a': '1', 'out/b': '2', 'out/sub/c': '3' });
    const one = place.run({ 'out/a': '1', 'out/sub/d': '4' });
    markReplaced(one, 'out');
    expect(differing(place, one, place.run())).toEqual(['out/b', 'out/sub/c', 'out/sub/d']);
    expect(filesOf(one).stateOf(place.at('out/never'))).toEqual({ kind: 'absent' });
  });

  it('may be listed as deleted or replaced, where an overlay could keep no notes', () => {
    const place = new Place({ gone: '', 'out/a': '1', 'out/b': '2' });
    const one = place.run({ 'out/a': '1' });
    writeFileSync(join(dirname(one.upper), 'deleted'), '/gone\0');
    writeFileSync(join(dirname(one.upper), 'replaced'), '/out\0');
    expect(differing(place, one, place.run())).toEqual(['gone', 'out/b']);
  });

  it('do not differ by times, nor where the caller does not want to know', () => {
    const place = new Place();
    const [one, other] = [place.run({ a: '1', b: '1' }), place.run({ a: '1', b: '2' })];
    expect(sameFiles(filesOf(one), filesOf(other), new Set([place.at('b')]))).toBe(true);
    expect(sameFiles(filesOf(one), filesOf(other), new Set([place.at('a')]))).toBe(false);
  });
});
