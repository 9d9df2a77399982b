/**
 * The running kernel's own types, from /sys/kernel/btf/vmlinux: where a BPF program finds a member
 * of a kernel structure on exactly this kernel.
 *
 *   const types = readKernelTypes();
 *   types.offsetOf('task_struct', 'pid')            // 1656 here, something else elsewhere
 *   types.offsetOf('task_struct', 'thread.sp')      // through a nested structure
 *   types.idOf('typedef', 'btf_trace_sys_enter')    // what attach_btf_id wants
 *
 * Format: Documentation/bpf/btf.rst. About 150,000 types and 5 MB, so nothing is decoded up front:
 * one pass notes where each type stands, and a name is looked for when somebody asks, in all of
 * them: a few dozen are, and a table of all names would take longer than that. Modules have files
 * of their own, which are not read.
 */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { assert } from '../base/assert.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { mapToRead } from './native-memory.ts';

const KERNEL_TYPES = '/sys/kernel/btf/vmlinux';
const MAGIC = 0xeb9f;

/** `BTF_KIND_*`, <linux/btf.h>; with the bytes that follow those of every type. */
const Kind = {
  int: { number: 1, fixed: 4, perMember: 0 },
  pointer: { number: 2, fixed: 0, perMember: 0 },
  array: { number: 3, fixed: 12, perMember: 0 },
  struct: { number: 4, fixed: 0, perMember: 12 },
  union: { number: 5, fixed: 0, perMember: 12 },
  enum: { number: 6, fixed: 0, perMember: 8 },
  forward: { number: 7, fixed: 0, perMember: 0 },
  typedef: { number: 8, fixed: 0, perMember: 0 },
  volatile: { number: 9, fixed: 0, perMember: 0 },
  const: { number: 10, fixed: 0, perMember: 0 },
  restrict: { number: 11, fixed: 0, perMember: 0 },
  function: { number: 12, fixed: 0, perMember: 0 },
  prototype: { number: 13, fixed: 0, perMember: 8 },
  variable: { number: 14, fixed: 4, perMember: 0 },
  section: { number: 15, fixed: 0, perMember: 12 },
  float: { number: 16, fixed: 0, perMember: 0 },
  declarationTag: { number: 17, fixed: 4, perMember: 0 },
  typeTag: { number: 18, fixed: 0, perMember: 0 },
  enum64: { number: 19, fixed: 0, perMember: 12 },
} as const;
export type TypeKind = keyof typeof Kind;

const KINDS = Object.entries(Kind) as [TypeKind, (typeof Kind)[TypeKind]][];
const NAMES = new Map(KINDS.map(([name, { number }]) => [number as number, name]));
/** Kinds that only say something about another type. */
const WRAPPERS: ReadonlySet<TypeKind> = new Set<TypeKind>([
  'typedef',
  'volatile',
  'const',
  'restrict',
  'typeTag',
]);
/** Kinds that hold their size where wrappers hold the wrapped type. */
const SIZED: ReadonlySet<TypeKind> = new Set<TypeKind>([
  'int',
  'struct',
  'union',
  'enum',
  'float',
  'enum64',
]);
const POINTER_SIZE = 8;
/** What every type begins with: name, info, and a size or another type. */
const SMALLEST = 12;

export interface Member {
  /** In bytes, from the start of the structure that was asked. */
  offset: number;
  type: number;
}

export class KernelTypes {
  /** All of the file; everything but the strings is aligned to four bytes. */
  readonly #words: Uint32Array;
  readonly #strings: Buffer;
  /** At which word type N starts; type 0 is `void` and stands nowhere. */
  readonly #positions: Uint32Array;
  #types = 1;

  constructor(bytes: Buffer) {
    assert(bytes.readUInt16LE(0) === MAGIC, `BTF starts with 0x${bytes.toString('hex', 0, 2)}`);
    this.#words = wordsOf(bytes);
    const headerSize = bytes.readUInt32LE(4);
    const strings = headerSize + bytes.readUInt32LE(16);
    this.#strings = bytes.subarray(strings, strings + bytes.readUInt32LE(20));
    const start = headerSize + bytes.readUInt32LE(8);
    const size = bytes.readUInt32LE(12);
    this.#positions = new Uint32Array(1 + size / SMALLEST);
    this.#index(start / 4, (start + size) / 4);
  }

  /** `undefined` when this kernel has no such type. */
  findId(kind: TypeKind, name: string): number | undefined {
    const text = Buffer.from(`\0${name}\0`);
    let at = this.#strings.indexOf(text);
    for (; at >= 0; at = this.#strings.indexOf(text, at + 1)) {
      const id = this.#firstOf(Kind[kind].number, at + 1);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** The first type of that name wins. */
  #firstOf(kind: number, name: number): number | undefined {
    const words = this.#words;
    const positions = this.#positions;
    for (let id = 1; id < this.#types; id++) {
      const at = positions[id]!;
      if (words[at] === name && kindIn(words[at + 1]!) === kind) return id;
    }
    return undefined;
  }

  idOf(kind: TypeKind, name: string): number {
    return this.findId(kind, name) ?? lacking(`${kind} ${name}`);
  }

  /** `path` names a member, or a member of a member: `'f_path.dentry'`. */
  offsetOf(struct: string, path: string): number {
    return this.member(struct, path).offset;
  }

  member(struct: string, path: string): Member {
    return this.findMember(struct, path) ?? lacking(`member ${path} in struct ${struct}`);
  }

  findMember(struct: string, path: string): Member | undefined {
    let found: Member = { offset: 0, type: this.idOf('struct', struct) };
    for (const name of path.split('.')) {
      const inner = this.#memberOf(this.#unwrapped(found.type), name);
      if (!inner) return undefined;
      found = { offset: found.offset + inner.offset, type: inner.type };
    }
    return found;
  }

  /** In bytes; 0 for `void`, functions and types only declared. */
  sizeOf(id: number): number {
    const type = this.#unwrapped(id);
    if (type === 0) return 0;
    const at = this.#positions[type]!;
    const kind = this.kindOf(type);
    if (kind === 'pointer') return POINTER_SIZE;
    if (kind === 'array') return this.sizeOf(this.#words[at + 3]!) * this.#words[at + 5]!;
    return SIZED.has(kind) ? this.#words[at + 2]! : 0;
  }

  kindOf(id: number): TypeKind {
    const number = kindIn(this.#words[this.#positionOf(id) + 1]!);
    const name = NAMES.get(number);
    assert(name !== undefined, `BTF type ${id} is of kind ${number}, newer than this parser`);
    return name;
  }

  #index(start: number, end: number): void {
    const words = this.#words;
    const positions = this.#positions;
    const fixedWords = new Uint32Array(32);
    const memberWords = new Uint32Array(32);
    for (const [, { number, fixed, perMember }] of KINDS) {
      fixedWords[number] = (SMALLEST + fixed) / 4;
      memberWords[number] = perMember / 4;
    }
    let id = 1;
    for (let at = start; at < end; id++) {
      positions[id] = at;
      const info = words[at + 1]!;
      const kind = kindIn(info);
      const size = fixedWords[kind]!;
      if (size === 0) assert(false, `BTF type ${id} is of kind ${kind}, newer than this parser`);
      at += size + memberWords[kind]! * (info & 0xffff);
    }
    this.#types = id;
  }

  #memberOf(struct: number, name: string): Member | undefined {
    if (struct === 0) return undefined;
    const kind = this.kindOf(struct);
    if (kind !== 'struct' && kind !== 'union') return undefined;
    const at = this.#positions[struct]!;
    const words = this.#words;
    const info = words[at + 1]!;
    for (let index = 0; index < (info & 0xffff); index++) {
      const entry = at + 3 + 3 * index;
      const nameAt = words[entry]!;
      const type = words[entry + 1]!;
      const place = words[entry + 2]!;
      const offset = place / 8;
      if (nameAt !== 0) {
        if (!this.#isNamed(nameAt, name)) continue;
        // With the top bit of info set, the upper eight bits are a bit field's width.
        const isBitField = info >>> 31 === 1 && place >>> 24 !== 0;
        assert(!isBitField, `${name} is a bit field: it has no byte offset`);
        return { offset, type };
      }
      const inner = this.#memberOf(this.#unwrapped(type), name);
      if (inner) return { offset: offset + inner.offset, type: inner.type };
    }
    return undefined;
  }

  #unwrapped(id: number): number {
    let type = id;
    while (type !== 0 && WRAPPERS.has(this.kindOf(type))) {
      type = this.#words[this.#positions[type]! + 2]!;
    }
    return type;
  }

  #isNamed(at: number, name: string): boolean {
    return this.#strings.toString('latin1', at, at + name.length + 1) === `${name}\0`;
  }

  #positionOf(id: number): number {
    assert(id > 0 && id < this.#types, `there is no BTF type ${id}`);
    return this.#positions[id]!;
  }
}

const kindIn = (info: number): number => (info >>> 24) & 31;

/** The whole words of a file; a copy only if its bytes are not aligned. */
function wordsOf(bytes: Buffer): Uint32Array {
  const { buffer, byteOffset } = isAligned(bytes) ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(buffer, byteOffset, bytes.length >> 2);
}

const isAligned = ({ byteOffset }: Buffer): boolean => byteOffset % 4 === 0;

/** Throws Node's own ENOENT on a kernel built without CONFIG_DEBUG_INFO_BTF. */
export function readKernelTypes(path = KERNEL_TYPES): KernelTypes {
  return new KernelTypes(contentsOf(path));
}

/** Newer kernels (6.16) can show the file as memory; to read it takes a call for each page. */
function contentsOf(path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    const mapped = tryTo(() => mapToRead(fd, fstatSync(fd).size).bytes);
    return mapped.ok ? mapped.value : readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function lacking(what: string): never {
  throw new UserError(
    `the running kernel has no ${what}`,
    'please report this with the output of uname -r; recording with ptrace does not need it',
    ExitStatus.unavailable,
  );
}
