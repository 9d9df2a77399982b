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
 * one pass notes where each type stands, and a name is looked for when somebody asks. Modules have
 * files of their own, which are not read.
 */
import { readFileSync } from 'node:fs';
import { assert } from '../base/assert.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

const KERNEL_TYPES = '/sys/kernel/btf/vmlinux';
const MAGIC = 0xeb9f;

/** `BTF_KIND_*`, <linux/btf.h>; with the bytes that follow the 12 of every type. */
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

export interface Member {
  /** In bytes, from the start of the structure that was asked. */
  offset: number;
  type: number;
}

export class KernelTypes {
  readonly #bytes: Buffer;
  readonly #strings: Buffer;
  /** Where type N starts; type 0 is `void` and stands nowhere. */
  readonly #positions: number[] = [0];
  /** Keyed by name offset × 32 + kind; the first type of that name wins. */
  readonly #ids = new Map<number, number>();

  constructor(bytes: Buffer) {
    assert(bytes.readUInt16LE(0) === MAGIC, `BTF starts with 0x${bytes.toString('hex', 0, 2)}`);
    this.#bytes = bytes;
    const headerSize = bytes.readUInt32LE(4);
    const strings = headerSize + bytes.readUInt32LE(16);
    this.#strings = bytes.subarray(strings, strings + bytes.readUInt32LE(20));
    const start = headerSize + bytes.readUInt32LE(8);
    this.#index(start, start + bytes.readUInt32LE(12));
  }

  /** `undefined` when this kernel has no such type. */
  findId(kind: TypeKind, name: string): number | undefined {
    const text = Buffer.from(`\0${name}\0`);
    let at = this.#strings.indexOf(text);
    for (; at >= 0; at = this.#strings.indexOf(text, at + 1)) {
      const id = this.#ids.get((at + 1) * 32 + Kind[kind].number);
      if (id !== undefined) return id;
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
    if (kind === 'array') return this.sizeOf(this.#word(at + 12)) * this.#word(at + 20);
    return SIZED.has(kind) ? this.#word(at + 8) : 0;
  }

  kindOf(id: number): TypeKind {
    const number = (this.#word(this.#positionOf(id) + 4) >>> 24) & 31;
    const name = NAMES.get(number);
    assert(name !== undefined, `BTF type ${id} is of kind ${number}, newer than this parser`);
    return name;
  }

  #index(start: number, end: number): void {
    const skip = new Array<[number, number] | undefined>(32);
    for (const [, { number, fixed, perMember }] of KINDS) skip[number] = [fixed, perMember];
    for (let at = start; at < end; ) {
      const id = this.#positions.push(at) - 1;
      const name = this.#word(at);
      const info = this.#word(at + 4);
      const kind = (info >>> 24) & 31;
      const key = name * 32 + kind;
      if (name !== 0 && !this.#ids.has(key)) this.#ids.set(key, id);
      const sizes = skip[kind];
      assert(sizes, `BTF type ${id} is of kind ${kind}, newer than this parser`);
      at += 12 + sizes[0] + sizes[1] * (info & 0xffff);
    }
  }

  #memberOf(struct: number, name: string): Member | undefined {
    if (struct === 0) return undefined;
    const kind = this.kindOf(struct);
    if (kind !== 'struct' && kind !== 'union') return undefined;
    const at = this.#positions[struct]!;
    const info = this.#word(at + 4);
    for (let index = 0; index < (info & 0xffff); index++) {
      const entry = at + 12 + 12 * index;
      const type = this.#word(entry + 4);
      const nameAt = this.#word(entry);
      const place = this.#word(entry + 8);
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
      type = this.#word(this.#positions[type]! + 8);
    }
    return type;
  }

  #isNamed(at: number, name: string): boolean {
    return this.#strings.toString('latin1', at, at + name.length + 1) === `${name}\0`;
  }

  #positionOf(id: number): number {
    const position = this.#positions[id];
    assert(position !== undefined && id > 0, `there is no BTF type ${id}`);
    return position;
  }

  #word(at: number): number {
    return this.#bytes.readUInt32LE(at);
  }
}

/** Throws Node's own ENOENT on a kernel built without CONFIG_DEBUG_INFO_BTF. */
export function readKernelTypes(path = KERNEL_TYPES): KernelTypes {
  return new KernelTypes(readFileSync(path));
}

function lacking(what: string): never {
  throw new UserError(
    `the running kernel has no ${what}`,
    'please report this with the output of uname -r; recording with ptrace does not need it',
    ExitStatus.unavailable,
  );
}
