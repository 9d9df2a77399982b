import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBytes } from '../../base/bytes.ts';
import { artifactLocation, rootUri } from './uris.ts';

const root = '/home/me/project';

describe('URIs', () => {
  it.each([
    ['/home/me/project/src/a b.c', 'src/a%20b.c'],
    ['src/queue.c', 'src/queue.c'],
    ['/home/me/project/x/../c:d#%.c', 'c%3Ad%23%25.c'],
    ['caf\udce9/é.c', 'caf%E9/%C3%A9.c'],
  ])('%j is below the root', (file, uri) => {
    expect(artifactLocation(file, root)).toEqual({ uri, uriBaseId: '%SRCROOT%' });
  });

  it.each([
    ['/usr/include/stdio.h', 'file:///usr/include/stdio.h'],
    ['/home/me/project2/a.c', 'file:///home/me/project2/a.c'],
    ['../other/a.c', 'file:///home/me/other/a.c'],
    ['/home/me/project', 'file:///home/me/project'],
  ])('%s is not', (file, uri) => {
    expect(artifactLocation(file, root)).toEqual({ uri });
  });

  it('lead back to the bytes of the path', () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => !/[/\0]|^\.+$/.test(text));
    fc.assert(
      fc.property(name, (name) => {
        const { uri } = artifactLocation(`/${name}`, root);
        const bytes = uri!
          .slice('file:///'.length)
          .replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
        expect(Buffer.from(bytes, 'latin1')).toEqual(encodeBytes(name));
      }),
    );
  });

  it('give the root its slash', () => {
    expect(rootUri('/home/me/a b')).toBe(`${pathToFileURL('/home/me/a b').href}/`);
    expect(rootUri('/home/me/')).toBe('file:///home/me/');
    expect(rootUri('/')).toBe('file:///');
  });
});
