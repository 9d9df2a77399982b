/**
 * What a recording tells about paths as it goes on: which file each leads to, and whether there is
 * one. After a rename the new name leads to the old one's file; a lookup that failed with ENOENT
 * says that there is nothing. What was never mentioned is unknown.
 */
import { errnoNumber } from '../../linux/errno.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { Thing } from './operation.ts';
import { isExchange } from './rename-flags.ts';

interface Knowledge {
  file?: Thing | undefined;
  exists?: boolean | undefined;
  /** It was made during the recording and has not been opened since, so that its number is unknown. */
  isNew?: boolean | undefined;
}

const ENOENT = errnoNumber('ENOENT') ?? 0;
const EEXIST = errnoNumber('EEXIST') ?? 0;
const REMOVES = /^(unlink|unlinkat|rmdir)$/;
const RENAMES = /^rename(at2?)?$/;
const LINKS = /^link(at)?$/;
const MAKES = /^(mkdir|mknod)/;

export class PathKnowledge {
  readonly #paths = new Map<string, Knowledge>();

  at(path: string): Knowledge | undefined {
    return this.#paths.get(path);
  }

  leadsTo(path: string, file: Thing): void {
    this.#paths.set(path, { file, exists: this.#paths.get(path)?.exists });
  }

  /** From the outcome of a call on a path, or on two. */
  learn(name: string, call: CallRecord, path: string, path2: string | undefined): void {
    const { result } = call;
    const isRename = RENAMES.test(name) && path2 !== undefined;
    const isLink = LINKS.test(name) && path2 !== undefined;
    if (result >= 0) {
      const { file, isNew } = this.#paths.get(path) ?? {};
      const other = path2 === undefined ? undefined : this.#paths.get(path2)?.file;
      const isGone = isRename || REMOVES.test(name);
      const isMade = MAKES.test(name) || isNew;
      this.#paths.set(path, isGone ? { exists: false } : { file, exists: true, isNew: isMade });
      if (isRename || isLink) this.#paths.set(path2, { file, exists: true, isNew });
      // Two names of one file stay as they are.
      const stays = isRename && (isExchange(call) || (file !== undefined && file === other));
      if (stays) this.#paths.set(path, { file: other, exists: true });
    } else if (result === -EEXIST) {
      this.#note(isRename || isLink ? path2 : path, true);
    } else if (result === -ENOENT && !isRename && !isLink) this.#note(path, false);
  }

  #note(path: string, exists: boolean): void {
    this.#paths.set(path, { file: this.#paths.get(path)?.file, exists });
  }
}
