/**
 * Archives in cpio's `newc` format, which the kernel unpacks into memory as a guest's first file system. Each entry
 * is a head of hexadecimal numbers, the name and the contents, both filled up to a multiple of four bytes:
 *
 *   070701 00000001 000081ed …    magic, inode number, mode (here: a file, rwxr-xr-x) …, 13 numbers altogether
 *   init\0\0                      the name, which begins at byte 110
 *   #!/bin/sh …                   the contents
 *
 * and the last one is called TRAILER!!!. A folder has to come before what is in it: those that nobody has put in
 * are made here. Everything belongs to root. Source: Documentation/driver-api/early-userspace/buffer-format.rst
 * in the kernel's sources. Limits: no hard links, no times; nothing of 4 GB or more.
 */
import { assert } from '../../base/assert.ts';

const ALIGNMENT = 4;
const HEAD_SIZE = 110;
/** Source: <linux/stat.h>. */
const FileType = { folder: 0o040000, file: 0o100000, link: 0o120000, device: 0o020000 } as const;
const TRAILER = 'TRAILER!!!';

interface Entry {
  readonly name: string;
  readonly mode: number;
  readonly contents?: Uint8Array;
  /** Major and minor number of a device. */
  readonly device?: readonly [number, number];
}

export class CpioArchive {
  readonly #pieces: Uint8Array[] = [];
  readonly #names = new Set<string>();

  folder(path: string, permissions = 0o755): void {
    this.#add({ name: path, mode: FileType.folder | permissions });
  }

  file(path: string, contents: Uint8Array | string, permissions = 0o644): void {
    const mode = FileType.file | permissions;
    this.#add({ name: path, mode, contents: Buffer.from(contents) });
  }

  link(path: string, target: string): void {
    this.#add({ name: path, mode: FileType.link | 0o777, contents: Buffer.from(target) });
  }

  characterDevice(path: string, major: number, minor: number): void {
    this.#add({ name: path, mode: FileType.device | 0o600, device: [major, minor] });
  }

  /** The whole archive; nothing can be added afterwards that the kernel would see. */
  bytes(): Uint8Array {
    return Buffer.concat([...this.#pieces, entryBytes({ name: TRAILER, mode: 0 }, 0)]);
  }

  /** Paths begin at the root of the guest, with or without a slash: `/etc/passwd`. */
  #add(entry: Entry): void {
    const name = entry.name.replace(/^\/+|\/+$/g, '');
    assert(
      name !== '' && !/(^|\/)\.{0,2}(\/|$)|\0/.test(name),
      `a path in the guest: ${entry.name}`,
    );
    if (this.#names.has(name)) {
      assert((entry.mode & FileType.folder) !== 0, `put in twice: ${name}`);
      return;
    }
    const above = name.lastIndexOf('/');
    if (above > 0) this.folder(name.slice(0, above));
    this.#names.add(name);
    this.#pieces.push(entryBytes({ ...entry, name }, this.#names.size));
  }
}

function entryBytes({ name, mode, contents, device = [0, 0] }: Entry, inode: number): Uint8Array {
  const named = Buffer.from(`${name}\0`);
  const size = contents?.length ?? 0;
  const numbers = [
    ...[inode, mode, 0, 0, 1, 0], // user, group, links, time
    ...[size, 0, 0, ...device], // the device that holds the file; the one that it is
    ...[named.length, 0], // no checksum
  ];
  const head = `070701${numbers.map((number) => number.toString(16).padStart(8, '0')).join('')}`;
  assert(head.length === HEAD_SIZE, 'a number that has more than 32 bits');
  return Buffer.concat([
    filledUp(Buffer.concat([Buffer.from(head), named])),
    filledUp(contents ?? new Uint8Array()),
  ]);
}

function filledUp(bytes: Uint8Array): Uint8Array {
  const missing = -bytes.length & (ALIGNMENT - 1);
  return missing === 0 ? bytes : Buffer.concat([bytes, new Uint8Array(missing)]);
}
