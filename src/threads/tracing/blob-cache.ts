/**
 * Clones that were made before, in the user's cache, two files for each:
 *
 *   ~/.cache/deadheat/blobs/3313b4cb119d…-5f3a09c4.blob      what the agent maps
 *   ~/.cache/deadheat/blobs/3313b4cb119d…-5f3a09c4.json      what was skipped; what it hangs on; a checksum
 *
 * The first part of the name is the image's key. The second one hangs on what else makes a difference: the
 * code that makes clones, what they are to do, and the size of the file, which `strip` changes while the
 * build-id stays. A debug file that came, went or changed makes a difference, too; the JSON has them. And a
 * file that is not the very same as when its clones were made is compared with that one by its checksum, since
 * whoever changes a byte of a program by hand leaves its build-id as it is.
 *
 * Nothing here is an error: what cannot be read is made again, and what cannot be written is not kept.
 */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { userCache } from '../../linux/user-cache.ts';
import type { ImageFile } from '../../preload/image-file.ts';
import { replaceFile } from '../../trace/replace-file.ts';
import { makeRoom } from './cache-room.ts';
import type { MadeBlob, SkippedFunctions } from './make-blob.ts';

/** The clones of an image, ready to be put where the agent looks for them. */
export interface Clones {
  readonly traced: number;
  readonly skipped: readonly SkippedFunctions[];
  readonly bytes: Uint8Array;
  /** A file that holds them, and is replaced but never changed. */
  readonly file?: string;
}

export function putClones({ bytes, file }: Clones, place: string): void {
  const linked =
    file === undefined ? undefined : tryTo(() => linkSync(encodeBytes(file), encodeBytes(place)));
  if (!linked?.ok) writeFileSync(encodeBytes(place), bytes);
}

/** The JSON. */
interface BlobNote extends Pick<Clones, 'traced' | 'skipped'> {
  /** Of the clones. */
  readonly size: number;
  readonly crc: number;
  /** The image that they were made of: its stamp, and its checksum. */
  readonly image: string;
  readonly imageCrc: number;
  /** By path: size and time of change, or '' for a file that was not there. */
  readonly lookedFor: Readonly<Record<string, string>>;
}

export class BlobCache {
  readonly #variant: string;

  /** `maker`: the file with the code that makes clones. */
  constructor(maker: URL, logs: boolean) {
    this.#variant = JSON.stringify([stampOf(fileURLToPath(maker)), logs]);
  }

  find(image: ImageFile): Clones | undefined {
    const found = tryTo(() => readChecked(this.#pathOf(image), image));
    return found.ok ? found.value : undefined;
  }

  keep(image: ImageFile, made: MadeBlob): Clones {
    const { bytes, traced, skipped } = made;
    const kept = tryTo(() => write(this.#pathOf(image), image, made));
    return { bytes, traced, skipped, ...(kept.ok && { file: kept.value }) };
  }

  #pathOf({ key, size }: ImageFile): string {
    const hash = createHash('sha256').update(`${this.#variant} ${size}`).digest('hex');
    return join(userCache(), 'blobs', `${key}-${hash.slice(0, 16)}`);
  }
}

function readChecked(path: string, image: ImageFile): Clones | undefined {
  const file = `${path}.blob`;
  const note = JSON.parse(readFileSync(encodeBytes(`${path}.json`), 'utf8')) as BlobNote;
  const { size, crc, traced, skipped, lookedFor } = note;
  // Clones are code that will be run: nobody else's.
  if (statSync(encodeBytes(file)).uid !== process.geteuid?.()) return undefined;
  if (Object.entries(lookedFor).some(([path, stamp]) => stampOf(path) !== stamp)) return undefined;
  const bytes = readFileSync(encodeBytes(file));
  if (bytes.length !== size || crc32(bytes) !== crc) return undefined;
  if (note.image !== image.stamp) {
    if (crc32(readFileSync(encodeBytes(image.path))) !== note.imageCrc) return undefined;
    void tryTo(() => writeNote(path, { ...note, image: image.stamp }));
  }
  const now = new Date();
  void tryTo(() => utimesSync(encodeBytes(file), now, now));
  return { traced, skipped, bytes, file };
}

/** Returns the file with the clones. */
function write(path: string, { stamp }: ImageFile, made: MadeBlob): string {
  const { bytes, traced, skipped, imageCrc } = made;
  const file = `${path}.blob`;
  const folder = dirname(path);
  mkdirSync(encodeBytes(folder), { recursive: true });
  const lookedFor = Object.fromEntries(made.lookedFor.map((path) => [path, stampOf(path)]));
  const image = { image: stamp, imageCrc };
  // Two that write at once write the same; and the note is checked against the clones.
  replaceFile(file, bytes);
  writeNote(path, { size: bytes.length, crc: crc32(bytes), ...image, traced, skipped, lookedFor });
  makeRoom(folder);
  return file;
}

const writeNote = (path: string, note: BlobNote): void =>
  replaceFile(`${path}.json`, JSON.stringify(note));

function stampOf(path: string): string {
  const stats = statSync(encodeBytes(path), { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.size} ${stats.mtimeMs}`;
}
