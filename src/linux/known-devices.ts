/**
 * Devices that a program may have been given by whoever started it. A recording has only their
 * numbers, by which /dev/null looks like a terminal.
 */
import { statSync } from 'node:fs';

const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/** Their names, by `device:inode`. */
export function knownDevices(): Record<string, string> {
  const there = DEVICES.flatMap((name) => {
    const found = statSync(name, { throwIfNoEntry: false });
    return found ? [[`${found.dev}:${found.ino}`, name]] : [];
  });
  return Object.fromEntries(there);
}
