import { describe, expect, it } from 'vitest';
import { MountFlag } from './constants.ts';
import { isBelow, visibleMounts } from './mount-table.ts';

const line = (id: number, parent: number, place: string, flags = 'rw', type = 'ext4'): string =>
  `${id} ${parent} 8:1 / ${place} ${flags},relatime shared:1 - ${type} /dev/sda1 rw`;

describe('visibleMounts', () => {
  it('tells place, type and restrictions, with blanks and bytes in names', () => {
    const text = [line(1, 0, '/'), line(2, 1, '/a\\040b/caf\xe9', 'ro,nosuid,nodev', 'tmpfs')];
    expect(visibleMounts(text.join('\n'))).toMatchObject([
      { place: '/', type: 'ext4', isReadOnly: false, restrictions: 0 },
      {
        place: '/a b/caf\udce9',
        type: 'tmpfs',
        isReadOnly: true,
        restrictions: MountFlag.noSuid | MountFlag.noDevices,
      },
    ]);
  });

  it('leaves out what a later mount covers, at the same place or above', () => {
    const text = [
      line(1, 0, '/'),
      line(2, 1, '/same', 'rw', 'covered'),
      line(3, 2, '/same', 'rw', 'covering'),
      line(4, 1, '/above/below', 'rw', 'covered'),
      line(5, 1, '/above', 'rw', 'covering'),
      line(6, 5, '/above/below', 'rw', 'topmost'),
    ];
    const seen = visibleMounts(text.join('\n')).map(({ place, type }) => `${place} ${type}`);
    expect(seen).toEqual(['/ ext4', '/above covering', '/above/below topmost', '/same covering']);
  });

  it('knows this machine', () => {
    const places = visibleMounts().map(({ place }) => place);
    expect(places[0]).toBe('/');
    expect(places).toContain('/proc');
    expect(new Set(places).size).toBe(places.length);
  });
});

it('isBelow does not take a longer name for a folder', () => {
  expect(isBelow('/a/b', '/a')).toBe(true);
  expect(isBelow('/ab', '/a')).toBe(false);
  expect(isBelow('/a', '/')).toBe(true);
});
