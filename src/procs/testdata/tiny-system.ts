/**
 * A file system of a few names and bytes that does what Linux does, for tests that try all orders of
 * a small program's calls. A step gives what the program saw, what the recorder would have noted, and
 * changes the state; states can be copied and compared.
 *
 * What two runs cannot tell apart counts as the same: numbers of inodes and open files are left out
 * of a comparison. They are used again as soon as they are free, as Linux does.
 */
import type { CallRecord } from '../../trace/records/call.ts';
import { OpenFlag } from '../model/open-flags.ts';

export type Operation =
  | { kind: 'open'; path: string; flags: number; slot: number }
  | { kind: 'close'; slot: number }
  | { kind: 'read' | 'write'; slot: number; length: number }
  | { kind: 'pread' | 'pwrite'; slot: number; from: number; length: number }
  | { kind: 'stat' | 'list' | 'unlink' | 'mkdir' | 'rmdir'; path: string }
  | { kind: 'truncate'; path: string; from: number }
  | { kind: 'rename' | 'link'; path: string; path2: string };

export type Noted = Partial<CallRecord> & { name: string };

export interface Outcome {
  /** What the caller learns. */
  seen: string;
  /** In which way the call did it, which the caller does not learn. */
  way: string;
  /** Nothing for calls on descriptors that are not open: those say nothing of files. */
  noted: Noted[];
}

interface Node {
  number: number;
  /** Which step has made it. */
  origin: string;
  isDirectory: boolean;
  bytes: string[];
}

interface OpenFile {
  id: number;
  node: Node;
  position: number;
  appends: boolean;
}

const [ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, EPERM] = [2, 17, 20, 21, 39, 1];
const NOTHING: Outcome = { seen: 'EBADF', way: '', noted: [] };

export class TinySystem {
  readonly #entries: Map<string, Node>;
  /** By process, then by slot: a number that stands for a variable with a descriptor. */
  readonly #slots: Map<number, Map<number, OpenFile>>;

  constructor(from?: TinySystem) {
    this.#entries = new Map();
    this.#slots = new Map();
    if (!from) {
      this.#entries.set('/', this.#newNode(true, ''));
      return;
    }
    const nodes = new Map<Node, Node>();
    const nodeOf = (node: Node): Node => {
      const known = nodes.get(node) ?? { ...node, bytes: [...node.bytes] };
      nodes.set(node, known);
      return known;
    };
    for (const [path, node] of from.#entries) this.#entries.set(path, nodeOf(node));
    const files = new Map<OpenFile, OpenFile>();
    for (const [process, slots] of from.#slots) {
      const copies = [...slots].map(([slot, file]): [number, OpenFile] => {
        const copy = files.get(file) ?? { ...file, node: nodeOf(file.node) };
        files.set(file, copy);
        return [slot, copy];
      });
      this.#slots.set(process, new Map(copies));
    }
  }

  fork(parent: number, child: number): void {
    this.#slots.set(child, new Map(this.#slots.get(parent)));
  }

  exit(process: number): void {
    this.#slots.delete(process);
  }

  /** The same for two states that no program can tell apart. */
  get fingerprint(): string {
    const numbers = new Map<object, number>();
    const number = (of: object): number => {
      if (!numbers.has(of)) numbers.set(of, numbers.size);
      return numbers.get(of)!;
    };
    const shown = (node: Node): string =>
      `${number(node)}${node.isDirectory ? 'd' : 'f'}${node.bytes.join('')}`;
    const entries = [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1));
    const slots = [...this.#slots].sort(([a], [b]) => a - b);
    return JSON.stringify([
      entries.map(([path, node]) => `${path} ${shown(node)}`),
      slots.map(([process, files]) =>
        [...files]
          .sort(([a], [b]) => a - b)
          .map(([slot, file]) => [process, slot, number(file), shown(file.node), file.position]),
      ),
    ]);
  }

  /** `mark` is what this step writes. */
  run(process: number, operation: Operation, mark: string): Outcome {
    switch (operation.kind) {
      case 'open':
        return this.#open(process, operation, mark);
      case 'close':
        this.#slots.get(process)?.delete(operation.slot);
        return { seen: '', way: '', noted: [] };
      case 'read':
      case 'write':
      case 'pread':
      case 'pwrite':
        return this.#transfer(process, operation, mark);
      case 'stat':
        return this.#stat(operation.path);
      case 'list':
        return this.#list(process, operation.path, mark);
      case 'unlink':
      case 'rmdir':
        return this.#remove(operation.path, operation.kind);
      case 'mkdir':
        return this.#mkdir(operation.path, mark);
      case 'truncate':
        return this.#truncate(operation.path, operation.from);
      case 'rename':
      case 'link':
        return this.#rename(operation.path, operation.path2, operation.kind);
    }
  }

  #open(
    process: number,
    { path, flags, slot }: Extract<Operation, { kind: 'open' }>,
    mark: string,
  ): Outcome {
    const told = (error: number): Outcome =>
      failed('openat', error, { path, args: [-100, 0, flags] });
    const found = this.#lookUp(path);
    if (found && flags & OpenFlag.O_CREAT && flags & OpenFlag.O_EXCL) return told(EEXIST);
    if (!found && !(flags & OpenFlag.O_CREAT)) return told(ENOENT);
    if (!found && !this.#parentIsThere(path)) return told(ENOENT);
    if (found?.isDirectory && flags & 3) return told(EISDIR);
    const node = found ?? this.#newNode(false, mark);
    if (!found) this.#entries.set(path, node);
    if (flags & OpenFlag.O_TRUNC) node.bytes.length = 0;
    const file = this.#newFile(node, (flags & OpenFlag.O_APPEND) !== 0);
    const slots = this.#slots.get(process) ?? new Map<number, OpenFile>();
    slots.set(slot, file);
    this.#slots.set(process, slots);
    const created = found ? {} : { created: true };
    return {
      seen: 'ok',
      way: found ? `found ${node.origin}` : 'created',
      noted: [
        {
          ...{ name: 'openat', path, args: [-100, 0, flags], result: slot },
          ...{ file2: kernelFile(node, file.id), ...created },
        },
      ],
    };
  }

  #transfer(
    process: number,
    operation: Extract<Operation, { length: number }>,
    mark: string,
  ): Outcome {
    const file = this.#slots.get(process)?.get(operation.slot);
    if (!file || file.node.isDirectory) return NOTHING;
    const { bytes } = file.node;
    const { kind, length } = operation;
    const isAt = 'from' in operation;
    const isWrite = kind === 'write' || kind === 'pwrite';
    const from = isWrite && file.appends ? bytes.length : isAt ? operation.from : file.position;
    const moved = isWrite ? length : Math.max(0, Math.min(length, bytes.length - from));
    const hasHole = isWrite && from > bytes.length;
    if (isWrite) {
      while (bytes.length < from) bytes.push('0');
      for (let at = from; at < from + length; at++) bytes[at] = mark;
    }
    if (!isAt) file.position = from + moved;
    const name = isAt ? `${kind}64` : kind;
    const seen = isWrite ? 'ok' : bytes.slice(from, from + moved).join('');
    const position = isAt ? {} : { position: file.position };
    return {
      seen,
      way: hasHole ? `${from} beyond a hole` : `${from}`,
      noted: [
        {
          ...{ name, file: kernelFile(file.node, file.id), result: moved },
          ...{ args: [operation.slot, 0, length, isAt ? operation.from : 0], ...position },
        },
      ],
    };
  }

  #stat(path: string): Outcome {
    const node = this.#lookUp(path);
    if (!node) return failed('stat', ENOENT, { path });
    const seen = node.isDirectory ? 'directory' : `${node.bytes.length}`;
    return { seen, way: node.origin, noted: [{ name: 'stat', path, result: 0 }] };
  }

  /** Opens the directory and reads it, as readdir does. */
  #list(process: number, path: string, mark: string): Outcome {
    const flags = OpenFlag.O_DIRECTORY;
    const node = this.#lookUp(path);
    if (node && !node.isDirectory)
      return failed('openat', ENOTDIR, { path, args: [-100, 0, flags] });
    const opened = this.#open(process, { kind: 'open', path, flags, slot: 99 }, mark);
    const file = this.#slots.get(process)?.get(99);
    this.#slots.get(process)?.delete(99);
    if (opened.seen !== 'ok' || !file) return opened;
    const names = [...this.#entries.keys()]
      .filter((name) => name !== '/' && parentOf(name) === path)
      .sort();
    const listed = { name: 'getdents64', file: kernelFile(file.node, file.id), result: 24 };
    return { seen: names.join(' '), way: '', noted: [...opened.noted, listed] };
  }

  #remove(path: string, name: 'unlink' | 'rmdir'): Outcome {
    const node = this.#lookUp(path);
    if (!node) return failed(name, ENOENT, { path });
    if (node.isDirectory !== (name === 'rmdir')) {
      return failed(name, node.isDirectory ? EISDIR : ENOTDIR, { path });
    }
    if (this.#hasEntries(path)) return failed(name, ENOTEMPTY, { path });
    this.#entries.delete(path);
    return { seen: 'ok', way: node.origin, noted: [{ name, path, result: 0 }] };
  }

  #mkdir(path: string, mark: string): Outcome {
    if (this.#lookUp(path)) return failed('mkdir', EEXIST, { path });
    if (!this.#parentIsThere(path)) return failed('mkdir', ENOENT, { path });
    this.#entries.set(path, this.#newNode(true, mark));
    return { seen: 'ok', way: '', noted: [{ name: 'mkdir', path, result: 0 }] };
  }

  #truncate(path: string, length: number): Outcome {
    const node = this.#lookUp(path);
    const details = { path, args: [0, length] };
    if (!node) return failed('truncate', ENOENT, details);
    if (node.isDirectory) return failed('truncate', EISDIR, details);
    const way = node.bytes.length < length ? `${node.origin} with a hole` : node.origin;
    while (node.bytes.length < length) node.bytes.push('0');
    node.bytes.length = length;
    return { seen: 'ok', way, noted: [{ name: 'truncate', ...details, result: 0 }] };
  }

  #rename(path: string, path2: string, name: 'rename' | 'link'): Outcome {
    const node = this.#lookUp(path);
    const other = this.#lookUp(path2);
    const details = { path, path2 };
    if (!node || !this.#parentIsThere(path2)) return failed(name, ENOENT, details);
    // Whole directories stay where they are, for the sake of a simple test.
    if (node.isDirectory) return failed(name, EPERM, details);
    if (other && name === 'link') return failed(name, EEXIST, details);
    if (other?.isDirectory) return failed(name, EISDIR, details);
    const isSame = other === node;
    this.#entries.set(path2, node);
    if (name === 'rename' && !isSame) this.#entries.delete(path);
    const way = `${node.origin} ${isSame ? 'is' : other ? 'replaces' : ''} ${other?.origin}`;
    return { seen: 'ok', way, noted: [{ name, ...details, result: 0 }] };
  }

  #lookUp(path: string): Node | undefined {
    return this.#entries.get(path);
  }

  #parentIsThere(path: string): boolean {
    return this.#entries.get(parentOf(path))?.isDirectory === true;
  }

  #hasEntries(path: string): boolean {
    return [...this.#entries.keys()].some((name) => name !== '/' && parentOf(name) === path);
  }

  #newNode(isDirectory: boolean, origin: string): Node {
    const used = new Set(
      [...this.#entries.values(), ...this.#openNodes()].map(({ number }) => number),
    );
    return { number: lowestFree(used), origin, isDirectory, bytes: [] };
  }

  #newFile(node: Node, appends: boolean): OpenFile {
    const files = [...this.#slots.values()].flatMap((slots) => [...slots.values()]);
    return { id: lowestFree(new Set(files.map(({ id }) => id))), node, position: 0, appends };
  }

  #openNodes(): Node[] {
    return [...this.#slots.values()].flatMap((slots) =>
      [...slots.values()].map(({ node }) => node),
    );
  }
}

function failed(name: string, error: number, details: Partial<CallRecord>): Outcome {
  return { seen: `error ${error}`, way: '', noted: [{ name, ...details, result: -error }] };
}

const kernelFile = ({ number, isDirectory }: Node, id: number) => ({
  ...{ id, device: 1, inode: number },
  mode: isDirectory ? 0o040755 : 0o100644,
});

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));

function lowestFree(used: ReadonlySet<number>): number {
  let number = 1;
  while (used.has(number)) number++;
  return number;
}
