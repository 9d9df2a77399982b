/**
 * Says why nothing of ours can be loaded into a program, or its code not be read, before anything is started:
 *
 *   requirePreloadable('/bin/busybox', 'sample')
 *   cannot sample '/bin/busybox': it is linked statically, so that nothing can be loaded into it
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { encodeBytes, printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { BadBinary } from '../binary/byte-reader.ts';
import { attributeNames } from '../linux/extended-attributes.ts';
import { type ImageFile, readImageFile } from './image-file.ts';

const LOADER = 'ld-linux-x86-64.so.2';

/** What the user wants to do with it. */
export type Doing = 'trace' | 'sample' | 'tolerate races in';

/** For libraries and the program itself alike. */
export function readImage(path: string, doing: Doing): ImageFile {
  try {
    return readImageFile(path);
  } catch (error) {
    throw cannotBeRead(path, error, doing);
  }
}

/** What is wrong with a file, as something that the user can mend; other errors are as they were. */
export function cannotBeRead(path: string, error: unknown, doing: Doing): unknown {
  const message = `cannot ${doing} '${printable(path)}'`;
  if (error instanceof BadBinary) {
    return new UserError(
      `${message}: ${error.message}`,
      'name a 64-bit x86 program or library, and if it is damaged, build or install it again',
    );
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') {
    return new UserError(
      `${message}: it may not be read, and its code has to be`,
      'let its owner run chmod +r, or use a copy',
    );
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new UserError(`${message}: no such file`, 'check its path');
  }
  return error;
}

/** The program itself: the agent has to get into it. */
export function requirePreloadable(path: string, doing: Doing): ImageFile {
  const image = readImage(path, doing);
  const shown = printable(path);
  if (image.interpreter === undefined) {
    throw new UserError(
      `cannot ${doing} '${shown}': it is linked statically, so that nothing can be loaded into it`,
      'link it dynamically (without -static)',
    );
  }
  const loader = basename(image.interpreter);
  if (loader !== LOADER) {
    throw new UserError(
      `cannot ${doing} '${shown}': it is for another C library (its loader is ${printable(loader)})`,
      'build it for the GNU C library',
    );
  }
  const privilege = privilegeOf(image.path);
  if (privilege !== undefined) {
    throw new UserError(
      `cannot ${doing} '${shown}': it is ${privilege}, and for such programs LD_PRELOAD is ignored`,
      'use a copy of it without that, or as the user that it would run as',
    );
  }
  return image;
}

const SET_USER = 0o4000;
/** A set-group-ID bit without the right to execute means something else: mandatory locks. */
const SET_GROUP = 0o2010;

/** What it would gain by being executed, whereupon the loader trusts nobody's environment. */
function privilegeOf(path: string): string | undefined {
  const { mode, uid, gid } = statSync(encodeBytes(path));
  if ((mode & SET_USER) !== 0 && uid !== process.getuid?.()) return 'set-user-ID';
  if ((mode & SET_GROUP) === SET_GROUP && gid !== process.getgid?.()) return 'set-group-ID';
  const hasCapabilities = attributeNames(path).includes('security.capability');
  return hasCapabilities && process.getuid?.() !== 0 ? 'given capabilities' : undefined;
}
