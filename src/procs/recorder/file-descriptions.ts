/**
 * Tells open files apart, where the kernel's own addresses of them are not to be had: each gets a
 * number, which goes with its descriptor through dup, fork and exec.
 *
 *   14: openat("log") = 3    7          a new open file, whatever is at "log"
 *   14: dup2(3, 1)           7
 *   14: fork() = 15          15 has what 14 has
 *   15: openat("log") = 4    8
 *
 * A descriptor that came in some other way, such as over a socket, is held against those known for
 * the same file. What a process closes by exec stays in the table until its number is given out
 * again, which is noticed; unless it comes over a socket and is the same file once more.
 */
import type { Pid } from '../../linux/ids.ts';
import { canCompareFiles, isSameOpenFile } from '../../linux/kcmp.ts';

interface Description {
  id: number;
  device: number;
  inode: number;
}

/** All eventfds have one inode; more than this is not worth the search. */
const MOST_COMPARISONS = 64;

export class FileDescriptions {
  readonly #tables = new Map<Pid, Map<number, Description>>();
  readonly #canTell = canCompareFiles();
  #last = 0;

  /** The number of what a descriptor stands for; 0 if it cannot be known. */
  idOf(process: Pid, fd: number, device: number, inode: number): number {
    const known = this.#tables.get(process)?.get(fd);
    if (known && known.device === device && known.inode === inode) return known.id;
    const found = this.#canTell ? this.#search(process, fd, device, inode) : undefined;
    return this.#set(process, fd, found ?? { id: this.#newId(), device, inode });
  }

  /** The same for a descriptor that has just been made: nobody can have had its open file before. */
  idOfNew(process: Pid, fd: number, device: number, inode: number): number {
    return this.#set(process, fd, { id: this.#newId(), device, inode });
  }

  duplicated(process: Pid, from: number, to: number): void {
    const table = this.#tables.get(process);
    const known = table?.get(from);
    if (known) table?.set(to, known);
  }

  closed(process: Pid, first: number, last = first): void {
    const table = this.#tables.get(process);
    if (first === last) table?.delete(first);
    else for (const fd of table?.keys() ?? []) if (fd >= first && fd <= last) table?.delete(fd);
  }

  forked(parent: Pid, child: Pid): void {
    if (parent !== child) this.#tables.set(child, new Map(this.#tables.get(parent)));
  }

  exited(process: Pid): void {
    this.#tables.delete(process);
  }

  #search(process: Pid, fd: number, device: number, inode: number): Description | undefined {
    let comparisons = 0;
    for (const [other, table] of this.#tables) {
      for (const [otherFd, description] of table) {
        if (description.inode !== inode || description.device !== device) continue;
        if (other === process && otherFd === fd) continue;
        if (isSameOpenFile(process, fd, other, otherFd)) return description;
        if (++comparisons === MOST_COMPARISONS) return undefined;
      }
    }
    return undefined;
  }

  #set(process: Pid, fd: number, description: Description): number {
    const table = this.#tables.get(process);
    if (table) table.set(fd, description);
    else this.#tables.set(process, new Map([[fd, description]]));
    return description.id;
  }

  #newId(): number {
    return this.#canTell ? ++this.#last : 0;
  }
}
