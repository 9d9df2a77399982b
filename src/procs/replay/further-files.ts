/**
 * What a program was given open beyond standard input, output and error, and what it gets in its
 * place when it runs once more:
 *
 *   3<list     the same file, opened again at the same place
 *   4>&1 5<&3  whatever 1 and 3 are now
 *   6>log 7|   nothing (/dev/null): it is somebody else's, and is not to be written to again
 */
import { closeSync } from 'node:fs';
import { printable } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { pid } from '../../linux/ids.ts';
import { isSameOpenFile } from '../../linux/kcmp.ts';
import { isForReadingOnly, openAt, openFileOf } from '../../linux/reopen.ts';
import type { FurtherFile, StoredProgram } from './stored-program.ts';

const STANDARD = 3;

/** Of those descriptors of ours; what is missing cannot be had again. */
export function furtherFiles(files: readonly number[]): FurtherFile[] {
  const own = pid(process.pid);
  return files
    .filter((fd) => fd >= STANDARD)
    .flatMap((fd): FurtherFile[] => {
      const same = files.find((one) => one < fd && isSameOpenFile(own, one, own, fd));
      if (same !== undefined) return [{ fd, same }];
      const file = isForReadingOnly(fd) ? openFileOf(fd) : undefined;
      return file ? [{ fd, ...file }] : [];
    });
}

type Stored = Pick<StoredProgram, 'further' | 'program'>;

/** Those that the program had, and will not have. */
export function lostFiles({ program, further }: Stored): number[] {
  const isThere = (fd: number): boolean => {
    const found = further.find((one) => one.fd === fd);
    return fd < STANDARD || (!!found && (!('same' in found) || isThere(found.same)));
  };
  return program.inheritance.files.filter((fd) => !isThere(fd));
}

/** The files among them, opened again: by the program's number, ours. For the caller to close. */
export function openFurther({ further }: Pick<Stored, 'further'>): Map<number, number> {
  const opened = new Map<number, number>();
  for (const file of further) {
    if ('same' in file) continue;
    const source = tryTo(() => openAt(file));
    if (source.ok) opened.set(file.fd, source.value);
    else {
      for (const fd of opened.values()) closeSync(fd);
      throw new UserError(
        `cannot open ${printable(file.path)}, which the program had as descriptor ${file.fd}`,
        'put it back, or record the program again',
      );
    }
  }
  return opened;
}

/** What the program is to have as `fd`, if not what is in `opened`. */
export function sameAs({ further }: Pick<Stored, 'further'>, fd: number): number | undefined {
  const found = further.find((one) => one.fd === fd);
  return found && 'same' in found ? found.same : undefined;
}
