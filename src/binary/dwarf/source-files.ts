/**
 * The files that a line number program talks of, as paths:
 *
 *   folders ['/home/me/project', 'src', '/usr/include'], file { name: 'main.c', folder: 1 }
 *   → /home/me/project/src/main.c
 *
 * As absolute as the tables allow: if they do not say where the compiler ran, `src/main.c`. `..` is kept:
 * the folder before it may be a link.
 */
export interface FileEntry {
  readonly name: string | undefined;
  /** An index of the folders. */
  readonly folder: number;
}

export class SourceFiles {
  readonly #folders: readonly string[];
  readonly #files: FileEntry[];
  readonly #paths: (string | undefined)[] = [];

  /** Folder 0 is the one that the compiler ran in, or ''. */
  constructor(folders: readonly string[], files: FileEntry[]) {
    this.#folders = folders;
    this.#files = files;
  }

  add(file: FileEntry): void {
    this.#files.push(file);
  }

  path(index: number): string | undefined {
    const file = this.#files[index];
    if (file?.name === undefined) return undefined;
    this.#paths[index] ??= this.#pathOf(file.name, file.folder);
    return this.#paths[index];
  }

  #pathOf(name: string, folder: number): string {
    const base = this.#folders[0];
    return within(base, folder === 0 ? name : within(this.#folders[folder], name));
  }
}

function within(folder: string | undefined, path: string): string {
  if (path.startsWith('/') || folder === undefined || folder === '') return path;
  const plain = path.startsWith('./') ? path.slice(2) : path;
  return folder.endsWith('/') ? folder + plain : `${folder}/${plain}`;
}
