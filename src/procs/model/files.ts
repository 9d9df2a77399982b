/**
 * Gives files names and identities. A recording has paths as programs passed them, and files as the
 * kernel numbers them; put together in the order of events, they name everything that was opened:
 *
 *   14: chdir("src")                            14 is in /home/me/src from now on
 *   14: openat(AT_FDCWD, "log") = 3 <1311>      inode 1311 is /home/me/src/log
 *   15: write(3 <1311>, …)                      so this writes /home/me/src/log
 *   15: rename("log", "log.1")                  the same file is /home/me/src/log.1 from now on
 *
 * A file keeps its identity under all of its names, as another generation (generations.ts). Symbolic links are not followed, and what lies
 * in a folder that is renamed keeps its old name, until it is opened again. What was opened before
 * the recording began is called after its number.
 */

import { join } from 'node:path';
import { AT_FDCWD } from '../../linux/fcntl.ts';
import type { Pid } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { typeOf } from './file-type.ts';
import { Generations, isSameFile } from './generations.ts';
import { OpenFlag, openFlags } from './open-flags.ts';
import type { Operation, Thing } from './operation.ts';
import { PathKnowledge } from './path-knowledge.ts';
import type { PathArgument } from './recorded/shape.ts';
import { hasOpened, type RecordedCall, recordedCall } from './recorded-calls.ts';

interface Place {
  root: string;
  folder: string;
}

export interface CallNames {
  /** Absolute: of the open file that the call is about, or of what its path leads to. */
  name?: string | undefined;
  name2?: string | undefined;
  /** What the call is about, and the second such thing. */
  target?: Thing | undefined;
  target2?: Thing | undefined;
  /** For a rename: there is known to have been something under the new name. */
  replaces?: boolean | undefined;
}

const NOTHING: CallNames = {};
const GIVES_NAME = /^(rename(at2?)?|link(at)?)$/;
/** What they make is a new file, whatever is known of the path. */
const MAKES = /^(mkdir|mknod|symlink)/;

export class Files {
  readonly #names = new Map<string, string>();
  readonly #identities = new Map<string, Thing>();
  /** Up to which event a number was that of another file, or of none. */
  readonly #knownSince = new Map<string, number>();
  /** The other way round, by the keys of the identities. */
  readonly #numbers = new Map<string, string>();
  readonly #places = new Map<Pid, Place>();
  readonly #paths = new PathKnowledge();
  readonly #generations = new Generations();
  /** By the open file, whose number may be used again for another file: what it was when opened. */
  readonly #openedAs = new Map<string, Thing>();
  readonly #start: Place;
  readonly #before = new Map<number, string>();
  #count = 0;

  /**
   * `folders`: of processes that were there before, by number; the others start in `folder`.
   * `devices`: the names of some that may have been open before, by `device:inode`.
   */
  constructor(
    folder: string,
    folders: Readonly<Record<string, string>> = {},
    devices: Readonly<Record<string, string>> = {},
  ) {
    for (const [number, name] of Object.entries(devices)) this.#names.set(number, name);
    this.#start = { root: '/', folder };
    for (const [pid, place] of Object.entries(folders)) this.#before.set(Number(pid), place);
  }

  forked(parent: Pid | undefined, child: Pid): void {
    const folder = this.#before.get(child);
    // Its number may be given to another later.
    this.#before.delete(child);
    if (folder !== undefined) {
      this.#places.set(child, { root: '/', folder });
      return;
    }
    this.#places.set(child, parent === undefined ? this.#start : this.#placeOf(parent));
  }

  /** The names in a call; remembers what the call says about others. */
  of(call: CallRecord, process: Pid): CallNames {
    const shape = recordedCall(call.number);
    if (!shape) return NOTHING;
    const { path, path2, file, file2 } = call;
    if (path === undefined) return this.#ofDescriptors(shape, call, process);
    const [first, second] = shape.paths;
    if (first?.isText) return this.#ofText(shape, call, path);
    const name = this.#resolve(process, path, file, folderFd(call, first));
    const name2 =
      path2 === undefined || second?.isText
        ? undefined
        : this.#resolve(process, path2, file2, folderFd(call, second));
    const opened = hasOpened(shape, call) ? file2 : undefined;
    if (opened && openFlags(call) & OpenFlag.O_TMPFILE) {
      return { name, target: this.#unnamed(opened, join(name, '(no name)')) };
    }
    const known =
      call.result >= 0 && MAKES.test(shape.name) ? undefined : this.#paths.at(name)?.file;
    const target = (opened ? this.#opened(call, name, opened) : known) ?? this.#newFile(name);
    const replaced = name2 === undefined ? undefined : this.#paths.at(name2);
    if (target !== known) this.#paths.leadsTo(name, target);
    this.#paths.learn(shape.name, call, name, name2);
    if (call.result >= 0) {
      this.#move(shape, process, name);
      if (name2 !== undefined && name2 !== name && GIVES_NAME.test(shape.name)) {
        if (/^rename/.test(shape.name)) this.#renamed(target, name2);
        this.#paths.leadsTo(name2, this.#generations.renamed(target, name2));
      }
    }
    return { name, name2, target, replaces: replaced?.exists };
  }

  /** An open folder is known by its new name; what lies in it, when it is opened again. */
  #renamed(file: Thing, name: string): void {
    const number = this.#numbers.get(file.key);
    if (number !== undefined) this.#names.set(number, name);
  }

  /** A file that was opened, but is nowhere yet. */
  #unnamed(file: KernelFile, name: string): Thing {
    const identity = this.#newFile(name);
    this.#names.set(key(file), name);
    this.#identify(key(file), identity);
    return identity;
  }

  #identify(number: string, identity: Thing): void {
    this.#identities.set(number, identity);
    this.#numbers.set(identity.key, number);
  }

  /** What a call does to a file, it does to what became of it under other names too. */
  withLaterNames(operations: Operation[]): Operation[] {
    return this.#generations.withLater(operations);
  }

  /** Message queues have names of their own, which Linux also shows as files. */
  #ofText({ name: call }: RecordedCall, { file2 }: CallRecord, text: string): CallNames {
    if (call === 'memfd_create' && file2) this.#unnamed(file2, `memfd:${text}`);
    if (!call.startsWith('mq_')) return NOTHING;
    const name = join('/dev/mqueue', text);
    if (file2) this.#names.set(key(file2), name);
    return { name, target: { key: name, name } };
  }

  #ofDescriptors(
    shape: RecordedCall,
    { file, file2, result }: CallRecord,
    process: Pid,
  ): CallNames {
    if (!file) return NOTHING;
    const name = this.#nameOf(file);
    if (shape.name === 'fchdir' && result >= 0) this.#move(shape, process, name);
    const target = this.#identityOf(file);
    return file2 ? { name, target, target2: this.#identityOf(file2) } : { name, target };
  }

  #move({ name: call }: RecordedCall, process: Pid, name: string): void {
    const place = this.#placeOf(process);
    if (call === 'chdir' || call === 'fchdir') {
      this.#places.set(process, { ...place, folder: name });
    } else if (call === 'chroot') this.#places.set(process, { ...place, root: name });
  }

  /** The kernel uses the numbers of deleted files again: a file that was created is a new one. */
  #opened(call: CallRecord, name: string, opened: KernelFile): Thing {
    const number = key(opened);
    const path = this.#paths.at(name);
    const made = path?.isNew ? path.file : undefined;
    const known = call.created
      ? this.#openedMeanwhile(call, name, number)
      : (made ?? this.#found(name, number));
    const identity = known ?? this.#newFile(name);
    if (this.#identities.get(number) !== identity) this.#knownSince.set(number, call.exit);
    this.#names.set(number, name);
    this.#identify(number, identity);
    if (opened.id !== 0) this.#openedAs.set(`${opened.id} ${number}`, identity);
    this.#paths.leadsTo(name, identity);
    return identity;
  }

  /**
   * Another may have opened the new file before the call that made it has returned:
   *
   *   5: openat("log", O_CREAT) …
   *   6: openat("log", O_CREAT) = 3 <1311>
   *   5: …= 3 <1311>, created
   */
  #openedMeanwhile({ entry }: CallRecord, name: string, number: string): Thing | undefined {
    const file = this.#identities.get(number);
    const isSince = (this.#knownSince.get(number) ?? 0) > entry;
    return isSince && file === this.#paths.at(name)?.file ? file : undefined;
  }

  /** The name says which generation it is, unless another file has come to be there unseen. */
  #found(name: string, number: string): Thing | undefined {
    const byNumber = this.#identities.get(number);
    const byName = this.#paths.at(name)?.file;
    return byNumber && !(byName && isSameFile(byName, byNumber)) ? byNumber : byName;
  }

  #identityOf(file: KernelFile): Thing {
    const number = key(file);
    let identity = this.#openedAs.get(`${file.id} ${number}`) ?? this.#identities.get(number);
    if (!identity) {
      identity = this.#newFile(this.#nameOf(file));
      this.#identify(number, identity);
    }
    return identity;
  }

  #newFile(name: string): Thing {
    return { key: `${++this.#count}`, name };
  }

  #resolve(process: Pid, path: string, folder: KernelFile | undefined, fd: number): string {
    const place = this.#placeOf(process);
    if (path.startsWith('/')) return join(place.root, path);
    const start = fd === AT_FDCWD ? place.folder : folder ? this.#nameOf(folder) : '?';
    return join(start, path);
  }

  #nameOf(file: KernelFile): string {
    const type = typeOf(file);
    // All of these have one inode between them.
    if (type === 'anonymous') return 'anonymous';
    return this.#names.get(key(file)) ?? `${type}:[${key(file)}]`;
  }

  #placeOf(process: Pid): Place {
    return this.#places.get(process) ?? this.#start;
  }
}

/** The kernel looks at 32 bits: -100 may arrive as 0xffffff9c. */
function folderFd({ args }: CallRecord, path: PathArgument | undefined): number {
  return path?.directory === undefined ? AT_FDCWD : (args[path.directory] ?? AT_FDCWD) | 0;
}

const key = ({ device, inode }: KernelFile): string => `${device}:${inode}`;
